echo 0 > f; base; node -e 'const fs=require("fs"),w=fs.openSync(process.argv[1],"a");let t=1767225600000;const T=process.argv[2];
for(let i=0;i<+process.argv[4];i++){t+=500;fs.writeSync(w,JSON.stringify({type:"user",id:"m"+i,session:"A",time:t,cwd:process.argv[3],text:"prompt "+i+" needle"+(i*7919%+process.argv[4])+" "+"x".repeat(200)})+"\n");
fs.writeSync(w,JSON.stringify({type:"step",id:"s"+i,parent:"m"+i,session:"A",time:t+1,before:T,after:T,note:"out "+"y".repeat(9000),files:[]})+"\n")}
fs.writeSync(w,JSON.stringify({type:"user",id:"img",session:"A",time:t+9,text:"pic",images:["data:image/png;base64,"+"A".repeat(+process.argv[5]*1024*1024)]})+"\n")' "$L" "$PREV" "$W" "$TURNS" "$MEGABYTES"
