// harmless: minified by hand, short names, comma operators and a chain of conditionals
!function(e,t){var n=function(e){return e<2?e:n(e-1)+n(e-2)},r=[],i=0;for(;i<10;i++)r[i]=n(i);t.result=(e=r.filter(function(e){return e&1}),e.length?e.reduce(function(e,t){return e+t},0):void 0)}(0,this.box={}),typeof box;
