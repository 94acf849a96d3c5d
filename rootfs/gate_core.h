/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the gate share. One analysis goes through them in this order:
 *
 *	gate_rules.c	the rules, as lists by kind
 *	gate_read.c	the tree as a flat array of nodes in the order of the source: a node
 *			is followed by what is in it, so every walk is a loop and needs no
 *			stack
 *	gate_lexis.c	places where engine and parser could read different words
 *	gate_scope.c	which names there are, gate_resolve.c: which name is whose
 *	gate_eval.c	what expressions come to: gate_value.c, gate_literal.c,
 *			gate_member.c, gate_known.c, gate_call.c, gate_builtin.c,
 *			gate_fold*.c, gate_bind.c; rounds of it, until no variable changes
 *	gate_flow.c	values that go to where they are not followed; gate_global.c: and
 *			those that are put into objects
 *	gate_guard.c	names of a host, used behind a test with typeof
 *	gate_shape.c	signals that are seen by the shape alone
 *	gate_found.c	findings in order, with their places
 *
 * All memory is tree-sitter's: it does not fail. Nothing here recurses as deep as a source
 * likes.
 */
#ifndef QUOD_JS_GATE_CORE_H
#define QUOD_JS_GATE_CORE_H

#include <string.h>

#include "rootfs/gate_signals.h"
#include "rootfs/gate_symbols.h"
#include "rootfs/gate_tree.h"
#include "rootfs/protocol.h"

#define GATE_NONE UINT32_MAX

/* Deeper than this nothing is read: signal too-deep. */
#define GATE_DEPTH_MOST 3000u
/* Bytes that folding may make, in sum and in one string; elements of folded lists. */
#define GATE_FOLD_SUM_MOST  (512u * 1024u)
#define GATE_FOLD_TEXT_MOST 4096u
#define GATE_LIST_SUM_MOST  32768u

struct gate_text {
	const char *at;
	uint32_t len;
};

enum gate_node_flag {
	GATE_NODE_ASYNC = 1 << 0,
	GATE_NODE_STAR = 1 << 1,
	GATE_NODE_ACCESSOR = 1 << 2,
	GATE_NODE_HOLES = 1 << 3, /* an array with an element left out */
	GATE_NODE_DECLARES =
		1 << 4, /* a name that is declared here, or a pattern of them */
	GATE_NODE_WRITES =
		1 << 5,		 /* a name that is assigned here, or a pattern of them */
	GATE_NODE_LEFT = 1 << 6, /* a loop: something in it goes out of it */
	GATE_NODE_BARE = 1 << 7, /* below typeof alone: no mention of the name */
	GATE_NODE_STATIC = 1 << 8,
};

struct gate_node {
	TSSymbol kind;
	TSSymbol
		op; /* of an expression that has one; of a declaration: var, let, const */
	TSFieldId field;
	uint16_t flags;
	uint32_t start, end;	/* bytes */
	uint32_t parent, after; /* after: the first node that is not in this one */
	uint32_t scope;
	uint32_t ref; /* a name: its variable or NONE; a function: its gate_function */
};

enum gate_value_kind {
	GATE_NOTHING, /* no value has come here yet */
	GATE_UNKNOWN,
	GATE_UNDEFINED,
	GATE_NULL,
	GATE_BOOLEAN,
	GATE_NUMBER,
	GATE_STRING,
	GATE_STRINGISH, /* a string that is not known */
	GATE_SYMBOL,	/* Symbol.iterator and the like: names nothing that matters */
	GATE_LIST,	/* an array: its values are known unless OPAQUE */
	GATE_OBJECT,	/* an object literal */
	GATE_REGEXP,
	/* From here on a value stays itself when it meets others: what may be reached
	 * counts, not what must. In the order of what outweighs what. */
	GATE_PROTO,	 /* the prototype of something */
	GATE_CTOR,	 /* the constructor of something */
	GATE_FUNCTION,	 /* a function of the source */
	GATE_PATH,	 /* what a free name leads to: Math.max */
	GATE_DESCRIPTOR, /* of a property; descriptors: of all of an object */
	GATE_DESCRIPTORS,
	GATE_CODE_PROTO, /* the prototype of functions */
	GATE_CODE,	 /* Function and its kin */
	GATE_THIS,	 /* perhaps the global object: `this` of a plain call */
	GATE_GLOBAL,	 /* the global object */
};

#define GATE_VALUE_OPAQUE 1u
#define GATE_VALUE_SHARED 4u /* of a variable: lists in it may have other names */
#define GATE_VALUE_UNSURE 2u /* of what stays itself: it may be something else */

struct gate_value {
	uint8_t kind;
	uint8_t flags;
	uint32_t n; /* bytes of text, elements of a list */
	union {
		const char *text; /* STRING, PATH */
		double number;	  /* NUMBER, BOOLEAN */
		uint32_t node;	  /* FUNCTION, OBJECT */
		uint32_t first;	  /* LIST: in gate.list; DESCRIPTOR(S): in gate.list */
	};
};

enum gate_scope_kind {
	GATE_SCOPE_BLOCK,
	GATE_SCOPE_FUNCTION,
	GATE_SCOPE_ARROW,
	GATE_SCOPE_PROGRAM,
};

struct gate_scope {
	uint8_t kind;
	bool strict;
	uint32_t parent;
	uint32_t function; /* the scope that `var` goes to, which may be itself */
	uint32_t node;
};

struct gate_variable {
	uint32_t name, scope, node;
	uint32_t writes, seen; /* seen: in this round */
	bool parameter;
	bool read;   /* in this analysis, before now */
	bool leaks;  /* used otherwise than by reading a part of it */
	bool called; /* a method of it is, which changes nothing if it is the engine's */
	bool global; /* a property of the global object too */
	bool used;   /* otherwise than to be compared */
	bool key;    /* names a property somewhere */
	bool makes;  /* is called by new, or has its prototype used */
	bool vague;  /* its value has come to no rest: paths are forgotten */
	struct gate_value value, next;
};

struct gate_function {
	uint32_t node, scope;
	uint8_t self; /* what `this` may be: 0, GATE_THIS or GATE_GLOBAL */
	bool this_read, read;
	bool lost;	/* may be called from where it is not seen */
	bool arguments; /* takes them otherwise than by its parameters */
	bool makes;	/* called by new, or its prototype is used: a constructor */
	uint32_t mate;	/* functions that a value may be as well, in a ring */
	uint32_t ring;	/* which of them stands for the ring */
	bool vague;
	struct gate_value returns, next;
};

struct gate_name {
	struct gate_text text;
	uint32_t hash;
	bool declared;
	bool patched;	 /* something of that name was given to something */
	bool asked;	 /* whether it was, or what its field is */
	uint32_t global; /* the variable of it that the global object has, or NONE */
	struct gate_value field; /* what properties of that name may lead to */
};

struct gate_match {
	uint8_t rule;
	struct gate_text pattern;
	TSSymbol symbol; /* of RULE_SYNTAX */
	uint8_t signal;	 /* of RULE_SIGNAL */
};

struct gate_matches {
	struct gate_match *at;
	uint32_t count;
};

struct gate_place {
	uint32_t start, end;
	struct gate_text detail; /* its own copy */
	uint8_t rule;
	bool kept;
};

struct gate {
	const struct gate_job *job;
	uint32_t modern_at; /* the node that needs it, if summary.modern */
	struct gate_summary summary;
	const char *source;
	uint32_t source_len;

	struct gate_node *nodes;
	struct gate_value *values;
	uint32_t nodes_count, nodes_room;

	struct gate_scope *scopes;
	uint32_t scopes_count, scopes_room;
	struct gate_name *names;
	uint32_t names_count, names_room;
	uint32_t *name_slots;
	uint32_t name_slots_count;
	struct gate_variable *variables;
	uint32_t variables_count, variables_room;
	uint32_t *variable_slots;
	uint32_t variable_slots_count;
	struct gate_function *functions;
	uint32_t functions_count, functions_room;

	struct gate_value *list;
	uint32_t list_count, list_room;
	struct gate_chunk *chunks; /* texts that were made */
	uint32_t fold_left;	   /* bytes of text that may still be made */

	struct gate_matches matches[RULE_KINDS_COUNT];
	struct gate_place *places;
	uint32_t places_count, places_room, places_lost;
	uint32_t places_by_rule[UINT8_MAX + 1];
	uint32_t places_shape; /* those that do not come from evaluation */
	uint32_t round;
	uint32_t detours; /* calls in a call that is being followed */
	bool again;	  /* something was read before it was known */
	bool patched;	  /* anything may have been given to the engine's objects */
	bool patches;	  /* something has been */
	bool replaced;	  /* in sight */
	bool patched_asked;
	bool strayed; /* a `this` that may be the global object is out of sight */
	uint64_t work_left;
};

/* --- gate_rules.c --- */
void gate_rules_read(struct gate *g, const TSLanguage *language);
void gate_rules_free(struct gate *g);

/* --- gate_read.c --- */
void gate_read(struct gate *g);
void gate_nodes_free(struct gate *g);

static inline uint32_t gate_first(const struct gate *g, uint32_t i)
{
	return g->nodes[i].after > i + 1 ? i + 1 : GATE_NONE;
}

static inline uint32_t gate_next(const struct gate *g, uint32_t i)
{
	uint32_t up = g->nodes[i].parent;

	return up != GATE_NONE && g->nodes[i].after < g->nodes[up].after
		       ? g->nodes[i].after
		       : GATE_NONE;
}

/* The child of that field, or NONE. */
uint32_t gate_child(const struct gate *g, uint32_t i, TSFieldId field);
/* The first child that is no comment, or NONE; likewise the next sibling. */
uint32_t gate_first_real(const struct gate *g, uint32_t i);
uint32_t gate_next_real(const struct gate *g, uint32_t i);
uint32_t gate_in_parens(const struct gate *g, uint32_t i);
uint32_t gate_out_of_parens(const struct gate *g, uint32_t i);
struct gate_text gate_source_of(const struct gate *g, uint32_t i);
bool gate_is_function(TSSymbol kind);

/* --- gate_lexis.c --- */
struct gate_lexis {
	uint32_t end;	   /* of the last token */
	uint32_t code_end; /* of the last that is no comment */
};

/* Every token in order: kind, from where to where. */
void gate_lexis_token(struct gate *g, struct gate_lexis *lexis, TSSymbol kind,
		      uint32_t start, uint32_t end);
void gate_lexis_end(struct gate *g, struct gate_lexis *lexis);
/* Constructs that the grammar allows and an engine may read as something else. */
void gate_lexis_nodes(struct gate *g);

/* --- gate_modern.c, gate_dialect.c, gate_quick.c --- */
bool gate_modern(struct gate *g, uint32_t i);
/* A function declaration that stands in a block, not in a function or the program. */
bool gate_is_in_block(const struct gate *g, uint32_t i);
/* Does the pair of an object literal have the key __proto__? */
bool gate_is_proto_key(struct gate *g, uint32_t pair);
void gate_dialect(struct gate *g);
void gate_dialect_quick(struct gate *g);

/* --- gate_text.c --- */
/* Most differ in the first character, and are asked for by the dozen. */
static inline bool gate_text_is(struct gate_text a, const char *b)
{
	if (a.len == 0 || *a.at != *b)
		return a.len == 0 && !*b;
	return strlen(b) == a.len && !memcmp(a.at, b, a.len);
}
bool gate_text_is_one_of(struct gate_text text, const char *const *words, size_t count);
bool gate_text_equal(struct gate_text a, struct gate_text b);
bool gate_text_ends(struct gate_text a, const char *end);
/* Room for text that lives as long as the analysis; NULL when folding has had its share.
 */
char *gate_text_room(struct gate *g, uint32_t len);
void gate_text_free(struct gate *g);
uint32_t gate_text_put(char *to, uint32_t code_point);
/* What the escapes of a string, a template or a name (then with names) stand for. Text
 * without escapes is given back as it is. */
bool gate_text_decode(struct gate *g, struct gate_text raw, struct gate_text *ret_text);

/* --- gate_scope.c, gate_resolve.c, gate_names.c --- */
uint32_t gate_name_of(struct gate *g, struct gate_text text);
/* The same for a name that is there already, or NONE. */
uint32_t gate_name_find(const struct gate *g, struct gate_text text);
/* A use or a declaration of a name: is it one, and which name. */
bool gate_is_reference(const struct gate *g, uint32_t i);
uint32_t gate_name_at(struct gate *g, uint32_t i);
void gate_names_free(struct gate *g);
bool gate_is_name(TSSymbol kind);
bool gate_is_of_engine(struct gate_text name);
uint32_t gate_variable_add(struct gate *g, uint32_t scope, uint32_t name, uint32_t node);
uint32_t gate_variable_find(const struct gate *g, uint32_t scope, uint32_t name);
void gate_declare(struct gate *g);
void gate_resolve(struct gate *g);
/* Is it only asked what it is: compared, or for its name? */
bool gate_is_asked(const struct gate *g, uint32_t i);
void gate_scopes_free(struct gate *g);

/* --- gate_value.c --- */
struct gate_value gate_value_of(uint8_t kind);
struct gate_value gate_value_number(double number);
struct gate_value gate_value_text(struct gate_text text);
struct gate_value gate_value_path(struct gate_text path);
struct gate_value gate_value_join(struct gate *g, struct gate_value a,
				  struct gate_value b);
bool gate_value_same(struct gate *g, struct gate_value a, struct gate_value b);
/* Is it, or may it be, the global object? */
static inline bool gate_value_is_global(struct gate_value value)
{
	return value.kind >= GATE_THIS;
}
/* 1 or 0; -1: not known. */
int gate_value_truth(struct gate_value value);
bool gate_value_to_number(struct gate_value value, double *ret_number);
bool gate_value_to_text(struct gate *g, struct gate_value value,
			struct gate_text *ret_text);
bool gate_value_is_text(struct gate_value value);
/* Is it known well enough to be the key of a property? */
bool gate_value_is_key(struct gate_value value);
struct gate_value gate_value_list(struct gate *g, const struct gate_value *values,
				  uint32_t count);
struct gate_value gate_value_boxed(struct gate *g, uint8_t kind, struct gate_value value);
struct gate_value gate_value_concat(struct gate *g, struct gate_value a,
				    struct gate_value b);

/* --- gate_known.c --- */
bool gate_is_global_object(struct gate_text name);
/* Math and the like: functions are in it, but it is none. */
bool gate_is_namespace(struct gate_text name);
/* Is it the path of a function of the engine? */
bool gate_leads_to_function(struct gate_text path);
/* Does a path begin with what the engine has? */
bool gate_is_path_of_engine(struct gate_value path);
/* A method that every object has. */
bool gate_is_method_of_all(struct gate_text key);
/* May a name begin with it? Of ASCII alone. */
bool gate_is_letter(char c);
bool gate_begins_capital(struct gate_text text);

/* --- gate_member.c: the property KEY of OBJECT, told at the node AT --- */
struct gate_value gate_member(struct gate *g, struct gate_value object,
			      struct gate_text key, uint32_t at);
/* The same by a value as the key. */
struct gate_value gate_member_by(struct gate *g, struct gate_value object,
				 struct gate_value key, uint32_t at);
struct gate_value gate_free_name(struct gate *g, struct gate_text name, uint32_t at);
struct gate_value gate_constructor_of(struct gate *g, struct gate_value object,
				      uint32_t at);
struct gate_value gate_prototype_of(struct gate *g, struct gate_value object);
bool gate_is_prototype(struct gate_value value);

/* --- gate_fold.c, gate_fold_text.c --- */
struct gate_value gate_fold_binary(struct gate *g, TSSymbol op, struct gate_value a,
				   struct gate_value b);
struct gate_value gate_fold_unary(struct gate *g, TSSymbol op, struct gate_value value);
struct gate_value gate_fold_number(struct gate_text text);
/* NOTHING: not a method that is known. */
struct gate_value gate_fold_method(struct gate *g, struct gate_value on,
				   struct gate_text method, const struct gate_value *args,
				   uint32_t count);
struct gate_value gate_fold_call(struct gate *g, struct gate_text path,
				 const struct gate_value *args, uint32_t count);

/* --- gate_bind.c --- */
void gate_bind(struct gate *g, uint32_t pattern, struct gate_value value);
void gate_write(struct gate *g, uint32_t name_node, struct gate_value value);
void gate_write_variable(struct gate *g, uint32_t variable, struct gate_value value);

/* --- gate_flow.c --- */
/* The value goes to where it is not followed, at that node. */
void gate_lose(struct gate *g, struct gate_value value, uint32_t at);
/* What becomes of the value of a node in the one that it is in. */
void gate_flow(struct gate *g, uint32_t i);
/* `this` of a function of the source may be that. */
void gate_set_this(struct gate *g, struct gate_function *f, uint8_t kind);
/* A function becomes a property: that it is called on an object is likely. */
void gate_lose_method(struct gate *g, struct gate_value value);
void gate_join_functions(struct gate *g, struct gate_value a, struct gate_value b);

/* --- gate_global.c: properties of the global object, and of objects that are not known */
void gate_global_add(struct gate *g, uint32_t name, uint32_t node);
void gate_global_write(struct gate *g, struct gate_text name, struct gate_value value);
/* What the script itself has put there; NOTHING: it has not. */
struct gate_value gate_global_read(struct gate *g, struct gate_text name);
struct gate_value gate_read_variable(struct gate *g, struct gate_variable *v);
void gate_field_write(struct gate *g, struct gate_text key, struct gate_value value);
struct gate_value gate_field_read(struct gate *g, struct gate_text key);
/* The property KEY, a value, of OBJECT gets VALUE, at that node. */
void gate_member_write(struct gate *g, struct gate_value object, struct gate_value key,
		       struct gate_value value, uint32_t at);
/* May what the engine calls so be something else by now? */
bool gate_is_patched(struct gate *g, struct gate_text name);
void gate_patch(struct gate *g, struct gate_text name);
/* An object of which that is one has got properties that are not known. */
void gate_patch_any(struct gate *g, struct gate_value object);
/* Has a method of the engine been replaced, in sight? What objects that are not known get
 * does not count: honest code writes to them everywhere. */
bool gate_is_replaced(struct gate *g, struct gate_text name);

/* --- gate_call.c --- */
void gate_call(struct gate *g, uint32_t i);
void gate_new(struct gate *g, uint32_t i);

/* --- gate_literal.c --- */
struct gate_value gate_eval_string(struct gate *g, uint32_t i);
struct gate_value gate_eval_template(struct gate *g, uint32_t i);
struct gate_value gate_eval_array(struct gate *g, uint32_t i);
struct gate_value gate_eval_object(struct gate *g, uint32_t i);

/* --- gate_eval.c --- */
void gate_evaluate(struct gate *g);
struct gate_value gate_returns(struct gate *g, struct gate_function *f);

/* --- gate_guard.c --- */
/* Is the name at that node, of a host, used only where typeof has found it? */
bool gate_is_guarded(struct gate *g, uint32_t i);

/* --- gate_shape.c, gate_obfuscation.c --- */
bool gate_is_loop(TSSymbol kind);
void gate_shapes(struct gate *g);
void gate_obfuscation(struct gate *g);

/* --- gate_found.c --- */
void gate_signal(struct gate *g, enum gate_signal signal, uint32_t at);
void gate_signal_at(struct gate *g, enum gate_signal signal, uint32_t start,
		    uint32_t end);
/* The rules of the kind whose pattern it is, at that node. */
void gate_mention(struct gate *g, enum rule_kind kind, struct gate_text path,
		  uint32_t at);
void gate_mention_any(struct gate *g, struct gate_text key, uint32_t at);
void gate_found_match(struct gate *g, const struct gate_match *match, uint32_t start,
		      uint32_t end, struct gate_text detail);
void gate_found_drop(struct gate *g, uint32_t count);
void gate_found_tell(struct gate *g);

/* summary.reason, of g->modern_at. */
void gate_found_reason(struct gate *g);

/* What is in something may be changed through it, which is not watched. */
static inline struct gate_value gate_inner(struct gate_value value)
{
	if (value.kind == GATE_LIST || value.kind == GATE_OBJECT)
		value.flags |= GATE_VALUE_OPAQUE;
	return value;
}

/* So much work that a source could multiply; false: there has been too much of it. */
static inline bool gate_work(struct gate *g, uint64_t steps)
{
	g->work_left = g->work_left > steps ? g->work_left - steps : 0;
	return g->work_left != 0;
}

/* Room for one more in an array of ours. */
static inline void gate_room(void *array, uint32_t count, uint32_t *room, size_t size)
{
	void **at = array;

	if (count < *room)
		return;
	*room = *room ? *room * 2 : 64;
	*at = gate_tree_realloc(*at, *room * size);
}

#endif
