cd /w/try; export PATH=/w/newcomer/build:$PATH SOTTO_LEDGER=/w/try/own.ledger
S=zero,one,two,three,four,five,six,seven,eight,nine; N=0,1,2,3,4,5,6,7,8,9
cat > pens.json <<'P'
{"sotto_schema":1,"default":{"type":"number","bounds":[0,100]},"columns":{"target":{"type":"target","classes":["zero","one","two","three","four","five","six","seven","eight","nine"]}}}
P
set -x
date
sotto train pen_train.csv --target target --classes $N --loss logistic --epsilon 1 --delta 1e-8 -o pn.json; echo rc $?
sotto train pens_train.csv --schema pens.json --loss logistic --epsilon 1 --delta 1e-8 -o ps.json; echo rc $?
sotto train pens_train.csv --schema pens.json --loss logistic --epsilon inf --l2 1e-4 -o pe.json; echo rc $?
sotto train pens_train.csv --schema pens.json --loss logistic --epsilon inf --l2 1e-4 --multiclass one-versus-rest -o po.json; echo rc $?
sotto train pen_train.csv --target target --loss logistic --epsilon 1 --delta 1e-8 -o x.json; echo rc $?
sotto train pen_train.csv --target target --epsilon 1 --delta 1e-8 -o reg.json; echo rc $?
date
for m in pn ps pe po; do t=pens_test.csv; [ $m = pn ] && t=pen_test.csv; sotto evaluate $m.json $t --quiet; done
sotto predict ps.json pens_test.csv | head -4; sotto predict ps.json pens_test.csv --proba | head -2;sotto predict ps.json pens_test.csv --scores | head -2
sotto predict pn.json pen_test.csv | head -4;sotto predict po.json pens_test.csv --proba | head -2; sotto predict po.json pens_test.csv --scores | head -2
sotto predict ps.json pens_test.csv --proba --json | head -c 600
sotto show ps.json | sed '/^statement/,$d' | head -40
sotto report ps.json -o rep.html; sotto report ps.json pe.json -o rep2.html
sotto export ps.json --format liblinear -o ps.ll; head -12 ps.ll; sotto export ps.json --format sql -o ps.sql; head -c 1500 ps.sql;  tail -c 800 ps.sql; sotto export po.json --format liblinear -o po.ll; head -8 po.ll
