// hostile: Function as the tag of a template
Function`return 1```;
