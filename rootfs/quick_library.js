// SPDX-License-Identifier: MIT
// What people expect of a JavaScript and QuickJS does not have, as one expression that
// gives a function of the global object. Runs while the snapshot is taken.
(function (global) {
	'use strict';

	function define(name, value) {
		Object.defineProperty(global, name, {
			value: value, writable: true, configurable: true, enumerable: false
		});
	}

	class TextEncoder {
		get encoding() {
			return 'utf-8';
		}

		encode(text = '') {
			const bytes = [];
			for (const character of String(text)) {
				let c = character.codePointAt(0);
				if (c >= 0xD800 && c <= 0xDFFF)
					c = 0xFFFD;
				if (c < 0x80)
					bytes.push(c);
				else if (c < 0x800)
					bytes.push(0xC0 | c >> 6, 0x80 | c & 63);
				else if (c < 0x10000)
					bytes.push(0xE0 | c >> 12, 0x80 | c >> 6 & 63, 0x80 | c & 63);
				else
					bytes.push(0xF0 | c >> 18, 0x80 | c >> 12 & 63,
						0x80 | c >> 6 & 63, 0x80 | c & 63);
			}
			return new Uint8Array(bytes);
		}
	}

	// The length of the sequence that a byte begins, 0 for none; and the least that may
	// follow it, and the most.
	function lead(byte) {
		if (byte < 0x80)
			return [1, 0, 0];
		if (byte >= 0xC2 && byte <= 0xDF)
			return [2, 0x80, 0xBF];
		if (byte >= 0xE0 && byte <= 0xEF)
			return [3, byte === 0xE0 ? 0xA0 : 0x80, byte === 0xED ? 0x9F : 0xBF];
		if (byte >= 0xF0 && byte <= 0xF4)
			return [4, byte === 0xF0 ? 0x90 : 0x80, byte === 0xF4 ? 0x8F : 0xBF];
		return [0, 0, 0];
	}

	function bytesOf(data) {
		if (data === undefined)
			return new Uint8Array(0);
		if (data instanceof ArrayBuffer)
			return new Uint8Array(data);
		if (ArrayBuffer.isView(data))
			return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
		throw new TypeError('decode needs a buffer');
	}

	class TextDecoder {
		#fatal;
		#keepMark;

		constructor(label = 'utf-8', options = {}) {
			if (!/^(utf-?8|unicode-1-1-utf-8)$/i.test(String(label).trim()))
				throw new RangeError('only UTF-8 can be decoded');
			this.#fatal = Boolean(options.fatal);
			this.#keepMark = Boolean(options.ignoreBOM);
		}

		get encoding() {
			return 'utf-8';
		}

		get fatal() {
			return this.#fatal;
		}

		get ignoreBOM() {
			return this.#keepMark;
		}

		#wrong() {
			if (this.#fatal)
				throw new TypeError('not UTF-8');
			return '\uFFFD';
		}

		decode(data) {
			const bytes = bytesOf(data);
			let text = '', i = 0;

			if (!this.#keepMark && bytes[0] === 0xEF && bytes[1] === 0xBB && bytes[2] === 0xBF)
				i = 3;
			while (i < bytes.length) {
				let [length, least, most] = lead(bytes[i]);
				let c = length === 1 ? bytes[i] : bytes[i] & 0x7F >> length, at = i + 1;

				for (; at < i + length; at++) {
					if (!(bytes[at] >= least && bytes[at] <= most))
						break;
					c = c << 6 | bytes[at] & 63;
					[least, most] = [0x80, 0xBF];
				}
				text += length && at === i + length ? String.fromCodePoint(c) : this.#wrong();
				i = at;
			}
			return text;
		}
	}

	define('TextEncoder', TextEncoder);
	define('TextDecoder', TextDecoder);
})
