cd /w/try; export PATH=/w/newcomer/build:$PATH SOTTO_LEDGER=/w/try/own.ledger
S=zero,one,two,three,four,five,six,seven,eight,nine
awk -F, 'NR>1{printf "%s",$17; for(i=1;i<=16;i++) printf " %d:%s",i,$i; print ""}' pen_test.csv > t.svm
set -x
liblinear-predict -b 1 t.svm pn.ll out.ll; head -2 out.ll; sotto predict pn.json pen_test.csv --proba | sed -n 1,2p
T="sotto train pens_train.csv --target target --loss logistic --epsilon 1 --delta 1e-8"
$T --classes nine,eight,seven,six,five,four,three,two,one,zero -o r.json --quiet; sotto evaluate r.json pens_test.csv --quiet | head -4
$T --classes $S,ten -o t11.json; echo rc $?;  sotto evaluate t11.json pens_test.csv --quiet | head -6; sotto show t11.json | grep '(intercept)'; sotto train pens_train.csv --target target --loss logistic --epsilon inf --l2 0.0001 --classes $S,ten -o e11.json; sotto train pens_train.csv --target target --loss logistic --epsilon inf --classes $S,ten -o e11.json
sotto train pens_train.csv --target target --loss logistic --epsilon inf --l2 0.0001 --multiclass one-versus-rest --classes $S,ten -o e11.json
$T --classes zero,one,two -o bad.json; echo rc $?
$T --classes zero -o bad.json; echo rc $?
$T --classes zero,one,two,zero -o bad.json; echo rc $?
$T --classes "zero, one, two,three,four,five,six,seven,eight,nine" -o sp.json; echo rc $?
$T --classes "Zero,One,two,three,four,five,six,seven,eight,nine" -o sp.json; echo rc $?
$T --classes "$(seq -s, 1 10000)" -o big.json 2>&1 | cut -c1-300; echo rc $?
$T --classes "$(seq -s, 1 1000)" -o big.json 2>&1 | cut -c1-300; echo rc $?
$T --classes $S --bad-rows drop --multiclass one-versus-rest -o bad.json; echo rc $?
$T --classes zero,one,two --bad-rows drop -o drop3.json; echo rc $?
sotto evaluate drop3.json pens_test.csv | head -3;  sotto evaluate drop3.json pens_test.csv --bad-rows drop | head -5; sotto predict drop3.json pens_test.csv | head -3
sotto doctor pens_train.csv --target target --classes zero,one,two --loss logistic; echo rc $?
sotto doctor pens_train.csv --target target --classes zero,one,two --loss logistic --bad-rows drop | head -30; echo rc $?
sotto doctor pens_train.csv --target target --loss logistic | head; sotto doctor pens_train.csv --target target --classes $S --loss logistic | head -40
sotto doctor pens_train.csv --target target --classes $S,ten --loss logistic | head -12
# numeric classes spelled differently
sotto train pen_train.csv --target target --classes 0.0,1.0,2,3,4,5,6,7,8,9 --loss logistic --epsilon inf --l2 0.01 -o nn.json; sotto predict nn.json pen_test.csv | sort | uniq -c
sotto train pen_train.csv --target target --classes 0,1,2,3,4,5,6,7,8,9,9.0 --loss logistic --epsilon inf --l2 0.01 -o nn.json
sotto train pen_train.csv --target target --classes 0,1,2,3,4,5,6,7,8,nine --loss logistic --epsilon inf --l2 0.01 -o nn.json
sotto ledger show | head -30
