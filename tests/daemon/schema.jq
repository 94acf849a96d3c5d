# SPDX-License-Identifier: MIT
# Is a value what a schema of the interface's description says? As much of JSON Schema as is
# used there; a keyword that this does not know is an error, so that none is passed over.
#
#	jq -n --slurpfile api openapi.json --arg name Record --slurpfile value FILE -f schema.jq
#
# Prints what is wrong, one thing a line, or nothing.

def kind: if type == "number" and . == floor then "integer" else type end;

def is_of($types): . as $v | ($v | kind) as $k |
	any($types | if type == "array" then .[] else . end;
		. == $k or (. == "number" and $k == "integer"));

def known: ["$ref", "type", "enum", "anyOf", "properties", "required", "additionalProperties",
	"items", "minItems", "maxItems", "minimum", "minLength", "maxLength", "description"];

# wrong(SCHEMA; PATH): of the input, as lines.
def wrong($s; $path):
	. as $v |
	(($s | keys) - known | .[] | "\($path): the schema has the unknown keyword \(.)"),
	if $s["$ref"] then
		wrong($api[0].components.schemas[$s["$ref"] | split("/")[-1]] //
			error("no schema \($s["$ref"])"); $path)
	else
		(select($s.type and (is_of($s.type) | not)) |
			"\($path): it is of type \(kind), not \($s.type)"),
		(select($s.enum and ([$s.enum[] == $v] | any | not)) |
			"\($path): \(tojson) is none of \($s.enum | tojson)"),
		(select($s.anyOf and ([$s.anyOf[] as $one | [$v | wrong($one; "")] == []] | any | not)) |
			"\($path): it is none of what it may be: " +
			([$s.anyOf[] as $one | [$v | wrong($one; $path)] | join("; ")] | join(" | "))),
		(select($s.minimum and type == "number" and . < $s.minimum) |
			"\($path): \(.) is below \($s.minimum)"),
		(select($s.minLength and type == "string" and length < $s.minLength) |
			"\($path): it is too short"),
		(select($s.maxLength and type == "string" and length > $s.maxLength) |
			"\($path): it is too long"),
		(select($s.minItems and type == "array" and length < $s.minItems) |
			"\($path): it has too few"),
		(select($s.maxItems and type == "array" and length > $s.maxItems) |
			"\($path): it has too many"),
		(select($s.required and type == "object") | ($s.required - keys)[] |
			"\($path): it has no \(.)"),
		(select($s.additionalProperties == false and type == "object") |
			(keys - ($s.properties | keys))[] | "\($path): it has a \(.)"),
		(select($s.properties and type == "object") | to_entries[] |
			select($s.properties[.key]) | .key as $k |
			.value | wrong($s.properties[$k]; "\($path)/\($k)")),
		(select($s.items and type == "array") | to_entries[] | .key as $k |
			.value | wrong($s.items; "\($path)/\($k)"))
	end;

$value[] | wrong({"$ref": "#/components/schemas/\($name)"}; "")
