git init -q; echo x > x.txt; base
user "make secret"; echo TEMPLATE > secret.env; step "create secret.env" secret.env
printf 'secret.env\nbuild/\n' > .gitignore; step "create .gitignore" .gitignore
echo REALKEY > secret.env; mkdir build; echo cache > build/cache.bin     # user
