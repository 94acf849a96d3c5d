// hostile: a constructor chain as the tag of a template
[].sort.constructor`return 1```;
