// Tables sort by the column whose button is pressed: numbers by value, with their units; once more turns it round.
const factors={n:1e-9,"µ":1e-6,m:1e-3,k:1e3,K:1024,M:1e6,G:1e9,T:1e12};
function valueOf(text){
const found=text.replace(/,/g,"").replace("−","-").match(/^[^\d-]*(-?\d+(?:\.\d+)?)\s*([nµmkKMGT]?)/);
return found?found[1]*(factors[found[2]]??1):NaN}
for(const heading of document.querySelectorAll("thead th.s")){
const button=document.createElement("button");
button.type="button";
button.append(...heading.childNodes);
heading.append(button);
button.onclick=()=>{
const row=heading.parentNode,body=row.parentNode.nextElementSibling,at=[...row.children].indexOf(heading),down=heading.ariaSort==="ascending";
const key=line=>{const text=line.children[at].textContent,value=valueOf(text);return heading.classList.contains("w")&&!/^\d/.test(text)||isNaN(value)?text:value};
for(const other of row.children)other.removeAttribute("aria-sort");
heading.ariaSort=down?"descending":"ascending";
const lines=[...body.children].map(line=>[key(line),line]);
lines.sort(([a],[b])=>(typeof a==="number"&&typeof b==="number"?a-b:String(a).localeCompare(String(b)))*(down?-1:1));
body.append(...lines.map(([,line])=>line))}}
