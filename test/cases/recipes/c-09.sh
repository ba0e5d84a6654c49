echo t > target.txt; ln -s target.txt link; printf '#!/bin/sh\n' > run.sh; chmod 755 run.sh; echo s > was_file; mkdir d; echo 1 > d/x
echo precious > "$O/p"; base; mani "$W" > "$R/m0"
user "swap kinds"; rm link; echo now-a-file > link; chmod 644 run.sh; rm was_file; ln -s "$O/p" was_file; echo 2 > d/x; step "swap kinds"
mv d "$O/d"; ln -s "$O/d" d                                          # user, afterwards
