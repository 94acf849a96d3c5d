/* SPDX-License-Identifier: MIT */
/*
 * Two mistakes of the engine's compiler, mended: packaging/mend-duktape.sh puts the calls
 * into its source, and this file ahead of the function that has the first.
 *
 * The variables of a function live in registers. The left operand of a binary operator
 * that is a variable was read where the operator runs, after the right operand, which
 * may have assigned to it: in `n + f()` it was what f() makes of n. So was the value of
 * a switch, by each case. Both are what they were when they were evaluated: in a register
 * of their own.
 *
 * A copy for every operand would cost a tenth of the speed of tight loops. Whether it is
 * needed shows in the code of the right operand, so it is put in afterwards, ahead of
 * that code: jumps in there are relative, and none leads from there to what lies before.
 */
#ifndef QUOD_JS_DUK_MEND_H
#define QUOD_JS_DUK_MEND_H

#define MEND_SHORT_REGISTERS 256 /* those that an instruction's A can name */

struct mend {
	duk_regconst_t variable, copy; /* variable -1: there is nothing to mend */
	duk_int_t right_pc;	       /* where the code of the right operand begins */
};

static void mend_copy(duk_compiler_ctx *comp_ctx, duk_ivalue *left,
		      const struct mend *mend, duk_int_t pc)
{
	duk__insert_jump_entry(comp_ctx, pc);
	duk__get_instr_ptr(comp_ctx, pc)->ins =
		DUK_ENC_OP_A_BC(DUK_OP_LDREG, mend->copy, mend->variable);
	duk__ivalue_regconst(left, mend->copy);
}

static struct mend mend_left_begin(duk_compiler_ctx *comp_ctx, duk_ivalue *left)
{
	struct mend mend = {.variable = -1};

	duk__ivalue_toplain(comp_ctx, left);
	if (left->x1.t != DUK_ISPEC_REGCONST || !DUK__ISREG(left->x1.regconst) ||
	    DUK__ISREG_TEMP(comp_ctx, left->x1.regconst))
		return mend;
	mend.copy = DUK__ALLOCTEMP(comp_ctx);
	if (mend.copy >= MEND_SHORT_REGISTERS) {
		duk__emit_a_bc(comp_ctx, DUK_OP_LDREG, mend.copy, left->x1.regconst);
		duk__ivalue_regconst(left, mend.copy);
		return mend;
	}
	mend.variable = left->x1.regconst;
	mend.right_pc = duk__get_current_pc(comp_ctx);
	return mend;
}

/* Nothing but this function's own instructions assigns to the variable? Those of inner
 * functions do, direct eval does, and to a parameter (they come first) whoever has the
 * arguments object. The first of two passes has seen all of them. */
static int mend_is_alone(duk_compiler_ctx *comp_ctx, duk_regconst_t variable)
{
	const duk_compiler_func *func = &comp_ctx->curr_func;
	duk_size_t parameters = duk_get_length(comp_ctx->thr, func->argnames_idx);

	return !duk_get_length(comp_ctx->thr, func->funcs_idx) &&
	       !func->may_direct_eval && (duk_size_t)variable >= parameters;
}

/* Takes some that only read for some that write: the copy is then made for nothing. */
static int mend_may_write(duk_instr_t ins, duk_regconst_t variable, int alone)
{
	if ((duk_regconst_t)DUK_DEC_A(ins) == variable ||
	    (duk_regconst_t)DUK_DEC_BC(ins) == variable)
		return 1;
	switch (DUK_DEC_OP(ins)) {
	case DUK_OP_LDREG:
	case DUK_OP_LDCONST:
	case DUK_OP_LDINT:
	case DUK_OP_LDINTX:
	case DUK_OP_LDTHIS:
	case DUK_OP_LDUNDEF:
	case DUK_OP_LDNULL:
	case DUK_OP_LDTRUE:
	case DUK_OP_LDFALSE:
		return 0;
	default: /* may run any function: a getter, a conversion */
		return !alone;
	}
}

static void mend_left_end(duk_compiler_ctx *comp_ctx, duk_ivalue *left,
			  const struct mend *mend)
{
	int alone;

	if (mend->variable < 0)
		return;
	alone = mend_is_alone(comp_ctx, mend->variable);
	for (duk_int_t pc = mend->right_pc; pc < duk__get_current_pc(comp_ctx); pc++) {
		if (!mend_may_write(duk__get_instr_ptr(comp_ctx, pc)->ins, mend->variable,
				    alone))
			continue;
		mend_copy(comp_ctx, left, mend, mend->right_pc);
		return;
	}
}

static duk_regconst_t mend_switch_value(duk_compiler_ctx *comp_ctx, duk_ivalue *res,
					duk_small_uint_t rbp_flags)
{
	duk__exprtop(comp_ctx, res, rbp_flags);
	return duk__ivalue_totempconst(comp_ctx, res);
}

#endif
