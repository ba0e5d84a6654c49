echo c > conf; mkdir docs src; echo o > docs/only.md; echo m > src/m.c; base
user "restructure"; rm conf; mkdir conf; echo a > conf/a.ini; mkdir -p deep/e/f; echo g > deep/e/f/g.txt; rm -r docs; mkdir lib; mv src/m.c lib/m.c; rmdir src; step "restructure"
echo mine > conf/mine.ini; echo k > deep/e/keep.txt                  # user
