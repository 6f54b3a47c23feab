/*
 * Coordinate descent as one writes it with Eigen, which is how the authors of
 * DP-CD describe their own: dense columns, the margins kept up to date, each
 * record's part clipped. Compiled with -O3 and for no particular processor.
 */
#include "rival.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <random>

using Eigen::Map;
using Eigen::MatrixXd;
using Eigen::OuterStride;
using Eigen::VectorXd;

typedef Map<const MatrixXd, 0, OuterStride<>> columns;

static std::mt19937_64 generator(1);
static std::normal_distribution<double> normal;

static double soft(double v, double by)
{
    return v > by ? v - by : v < -by ? v + by : 0.0;
}

/* The noisy mean derivative becomes a step, and the margins follow. */
static void take_step(const rival_problem *p, const columns &x, long j,
                      double sum, Map<VectorXd> &m, Map<VectorXd> &w)
{
    double g = (sum + p->sigma * normal(generator)) / (double)p->rows;
    double before = w(j);
    w(j) = soft(before - p->step * g, p->step * p->l1);
    m += (w(j) - before) * x.col(j);
}

void rival_eigen_loop(const rival_problem *p, double *margin, double *weight)
{
    columns x(p->x, p->rows, p->columns, OuterStride<>(p->stride));
    Map<const VectorXd> y(p->y, p->rows);
    Map<VectorXd> m(margin, p->rows), w(weight, p->columns);
    for (long j = 0; j < p->columns; j++) {
        double sum = 0;
        if (p->logistic)
            for (long i = 0; i < p->rows; i++) {
                double part = -y(i) / (1 + std::exp(y(i) * m(i))) * x(i, j);
                sum += std::max(-p->clip, std::min(p->clip, part));
            }
        else
            for (long i = 0; i < p->rows; i++) {
                double part = (m(i) - y(i)) * x(i, j);
                sum += std::max(-p->clip, std::min(p->clip, part));
            }
        take_step(p, x, j, sum, m, w);
    }
}

void rival_eigen_array(const rival_problem *p, double *margin, double *weight)
{
    columns x(p->x, p->rows, p->columns, OuterStride<>(p->stride));
    Map<const VectorXd> y(p->y, p->rows);
    Map<VectorXd> m(margin, p->rows), w(weight, p->columns);
    for (long j = 0; j < p->columns; j++) {
        double sum;
        if (p->logistic)
            sum = (-y.array() / (1 + (y.array() * m.array()).exp()) *
                   x.col(j).array())
                      .min(p->clip)
                      .max(-p->clip)
                      .sum();
        else
            sum = ((m - y).array() * x.col(j).array())
                      .min(p->clip)
                      .max(-p->clip)
                      .sum();
        take_step(p, x, j, sum, m, w);
    }
}

/* ---- greedy: the whole gradient, then the largest by Laplace noise ---- */

static std::exponential_distribution<double> exponential(1);

static int64_t noisy_best(const rival_problem *p, const double *gradient)
{
    int64_t best = 0;
    double most = -1;
    for (long j = 0; j < p->columns; j++) {
        double noise =
            p->sigma * (exponential(generator) - exponential(generator));
        double score = std::fabs(gradient[j] + noise);
        if (score > most) {
            most = score;
            best = j;
        }
    }
    return best;
}

int64_t rival_eigen_choice_loop(const rival_problem *p, double *margin,
                                double *gradient)
{
    columns x(p->x, p->rows, p->columns, OuterStride<>(p->stride));
    Map<VectorXd> m(margin, p->rows);
    VectorXd slope(p->rows);
    for (long i = 0; i < p->rows; i++)
        slope(i) = -1 / (1 + std::exp(m(i)));
    for (long j = 0; j < p->columns; j++) {
        double sum = 0;
        for (long i = 0; i < p->rows; i++)
            sum += std::max(-p->clip, std::min(p->clip, slope(i) * x(i, j)));
        gradient[j] = sum;
    }
    int64_t best = noisy_best(p, gradient);
    m -= p->step * gradient[best] / (double)p->rows * x.col(best);
    return best;
}

int64_t rival_eigen_choice_array(const rival_problem *p, double *margin,
                                 double *gradient)
{
    columns x(p->x, p->rows, p->columns, OuterStride<>(p->stride));
    Map<VectorXd> m(margin, p->rows);
    VectorXd slope = (-1 / (1 + m.array().exp())).matrix();
    for (long j = 0; j < p->columns; j++)
        gradient[j] = (slope.array() * x.col(j).array())
                          .min(p->clip)
                          .max(-p->clip)
                          .sum();
    int64_t best = noisy_best(p, gradient);
    m -= p->step * gradient[best] / (double)p->rows * x.col(best);
    return best;
}
