# Reads {"path": "..."} from standard input and prints events, one a line.
read -r arguments
path=$(printf '%s' "$arguments" | sed -n 's/.*"path":"\([^"\\]*\)".*/\1/p')

case $path in
  '' | /* | ../* | */../* | */..)
    echo '{"type": "error", "category": "permission_error", "message": "this is no plain path below the repository", "suggestion": "name a file from its folder on"}'
    exit ;;
esac
if [ ! -f "$path" ]; then
    echo '{"type": "error", "category": "resource_error", "message": "there is no such file"}'
    exit
fi

printf '{"type": "log", "message": "counting"}\n'
awk '
    { words += NF; if (length($0) > longest) longest = length($0) }
    END { printf "{\"type\": \"final_result\", \"data\": {\"lines\": %d, \"words\": %d, \"longest\": %d}}\n", NR, words, longest }
' "$path"
