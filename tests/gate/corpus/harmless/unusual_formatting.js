// harmless: formatted as nobody should, ASI and comments everywhere
var a=1,b=2
var c=a
/* eval( */+/* ) */b
;[a,b]=[b,a]
;(function
(){/* require('fs') */}
)()
var r = a / b / c, re = /[/]process[/]/g
if(a)
	if(b);else;
do c--;while(c>0)c
