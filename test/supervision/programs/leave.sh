# Exits at once.
echo "$@"
exit 0
