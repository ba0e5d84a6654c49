git init -q; echo v1 > f.txt; base; user "edit"; echo v2 > f.txt; step "edit"
D=$R/decoy; git init -q "$D"; echo d > "$D/d"; git -C "$D" add d; git -C "$D" -c user.name=u -c user.email=u@x commit -qm d; mani "$D" > "$R/decoy0"
cat > "$R/env.sh" <<X
export GIT_DIR=$D/.git GIT_WORK_TREE=$D GIT_INDEX_FILE=$D/.git/index GIT_OBJECT_DIRECTORY=$D/.git/objects GIT_ALTERNATE_OBJECT_DIRECTORIES=/nope GIT_NAMESPACE=zz GIT_CEILING_DIRECTORIES=/ GIT_PREFIX=zz/
export GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_0=commit.gpgsign GIT_CONFIG_VALUE_0=true GIT_CONFIG_KEY_1=core.hooksPath GIT_CONFIG_VALUE_1=$R/hk GIT_CONFIG_PARAMETERS="'core.bare=true'"
export GIT_EXTERNAL_DIFF="touch $R/PWN" GIT_PAGER="touch $R/PWN" GIT_ASKPASS="touch $R/PWN" GIT_LITERAL_PATHSPECS=0 GIT_GLOB_PATHSPECS=1 GIT_TRACE=1 GIT_TRACE2_EVENT=1 GIT_DEFAULT_HASH=sha256 LC_ALL=de_DE.UTF-8 LANGUAGE=de NODE_OPTIONS= ELECTRON_RUN_AS_NODE=
X
