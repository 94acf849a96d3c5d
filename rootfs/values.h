/* SPDX-License-Identifier: MIT */
/*
 * Values of whichever engine runs, for those who read them: JSON, console, errors. Both
 * engines answer the same questions, so that one text describes what both print.
 *
 * Values lie on a stack and are named by their place, counted from 0. A call that pushes
 * puts one value on the top. Nothing here runs a getter, a Proxy trap or any function of
 * the script, or looks at a prototype unless it says so.
 */
#ifndef QUOD_JS_VALUES_H
#define QUOD_JS_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum value_kind {
	/* What is no object comes first. */
	IS_UNDEFINED,
	IS_NULL,
	IS_BOOLEAN,
	IS_NUMBER,
	IS_BIGINT,
	IS_STRING,
	IS_SYMBOL,
	IS_INTERNAL, /* the engine's own, of no type that a script knows */
	IS_OBJECT,
	IS_ARRAY,
	IS_FUNCTION,
	IS_CLASS, /* a function that was written as a class */
	IS_ARGUMENTS,
	IS_BOXED, /* a primitive in an object */
	IS_DATE,
	IS_ERROR, /* or an object that inherits from Error.prototype */
	IS_REGEXP,
	IS_TYPED_ARRAY,
	IS_BUFFER, /* ArrayBuffer, DataView */
	IS_PROXY,
	IS_MAP,
	IS_SET,
	IS_PROMISE,
	IS_WEAK,     /* WeakMap, WeakSet, WeakRef: nobody can say what is in it */
	IS_ITERATOR, /* generators too */
	IS_OTHER,
};

/* The prototype compared with the engine's own, whatever the script did to the globals.
 */
enum value_parent { PARENT_NONE, PARENT_OBJECT, PARENT_ARRAY, PARENT_OTHER };

enum value_property { PROPERTY_NONE, PROPERTY_DATA, PROPERTY_ACCESSOR };

enum value_promise { PROMISE_PENDING, PROMISE_FULFILLED, PROMISE_REJECTED };

/* Where an error was made: one step of its trace. */
struct value_frame {
	enum {
		FRAME_LAST, /* there is no such step */
		FRAME_SCRIPT,
		FRAME_NATIVE,
		FRAME_SOURCE, /* the compiler was at that line */
	} kind;
	bool is_users;	       /* in the user's file, not in code made from text */
	uint32_t line, column; /* from 1; 0: not known */
};

#define VALUE_DIGITS_BYTES  40
#define VALUES_ENTRIES_MOST 101u

struct values {
	/* Number of values on the stack. */
	int (*top)(void);

	/* Pushes a string: ASCII and NUL. */
	void (*push_string)(const char *text);

	/* Takes the values from this place on off the stack. */
	void (*cut)(int top);

	enum value_kind (*kind)(int at);
	bool (*boolean)(int at);
	double (*number)(int at);

	/* Bytes of a string or of a symbol's description, as out_string() takes them:
	 * valid while the value lies there. */
	const char *(*text)(int at, size_t *ret_len);

	/* A number as the language writes it; VALUE_DIGITS_BYTES of text, NUL. */
	void (*digits)(double number, char *text);

	/* Pushes the decimal digits of a BigInt, a string. */
	void (*push_bigint_text)(int at);

	/* The same for one object as long as it lives; of objects only. */
	uint64_t (*identity)(int at);

	/* It can be called; of any object. */
	bool (*is_callable)(int at);

	/* The rest is of objects only, and but for class_name() not of a Proxy. */

	/* "Uint8Array", "Date", "AsyncFunction"; valid until the next call. */
	const char *(*class_name)(int at);

	/* What own...() finds: with PROPERTY_DATA pushes the value. */
	enum value_property (*own_name)(int at, const char *name);
	enum value_property (*own_index)(int at, uint32_t index);
	enum value_property (*own_key)(int at, int key);

	/* Pushes the own enumerable keys in the language's order, symbols last, as one
	 * thing that only push_key() reads; returns their number. */
	uint32_t (*push_keys)(int at);
	void (*push_key)(int keys, uint32_t i);

	/* Elements of an array, typed array, buffer or arguments object. */
	uint32_t (*length)(int at);

	/* An array has own enumerable keys besides its indices. */
	bool (*has_more)(int at);

	enum value_parent (*parent)(int at);

	/* Pushes the prototype, or null. */
	void (*push_prototype)(int at);

	/* Pushes the own or inherited value of a plain property and returns true; pushes
	 * nothing where it is an accessor, behind a Proxy or not there. */
	bool (*push_inherited)(int at, const char *name);

	/* Pushes what is inside a boxed primitive or a Date. */
	void (*push_primitive)(int at);

	/* Pushes source and flags of a RegExp: two values. */
	void (*push_regexp)(int at);

	/* Pushes key, value, key, value, ... of a Map or Set as a list for own_index(), of
	 * VALUES_ENTRIES_MOST pairs at least if there are so many; returns how many there
	 * are. */
	uint32_t (*push_entries)(int at);

	/* Pushes what a promise is settled with, or undefined. */
	enum value_promise (*push_settled)(int at);

	/* Step n of the trace of an error. Pushes the function's name, a string or
	 * undefined, but not with FRAME_LAST. */
	struct value_frame (*push_frame)(int at, unsigned n);

	/* Where a thing that is no error was last thrown; line 0: not known. */
	struct value_frame (*last_throw)(void);
};

/* Those of the engine that was built. */
extern const struct values *values;

#endif
