dnl SPDX-License-Identifier: MIT

dnl QUOD_NEED(VARIABLE, MODULES, DEBIAN-PACKAGES, FEDORA-PACKAGES)
dnl Like PKG_CHECK_MODULES, but the failure says what to install.
AC_DEFUN([QUOD_NEED], [
  PKG_CHECK_MODULES([$1], [$2], [], [
    AC_MSG_ERROR([quod needs $2:
$[]$1[]_PKG_ERRORS
  Debian, Ubuntu:  apt install $3
  Fedora:          dnf install $4
If it is in an odd place, set PKG_CONFIG_PATH, or $1[]_CFLAGS and $1[]_LIBS.])])
])

dnl QUOD_TRY_CFLAGS(VARIABLE, FLAGS): appends each flag that the compiler takes.
AC_DEFUN([QUOD_TRY_CFLAGS], [
  m4_foreach_w([quod_flag], [$2], [QUOD_TRY_FLAG_([$1], m4_quote(quod_flag), [CFLAGS], [AC_COMPILE_IFELSE])])
])

dnl QUOD_TRY_LDFLAGS(VARIABLE, FLAGS): the same for the linker.
AC_DEFUN([QUOD_TRY_LDFLAGS], [
  m4_foreach_w([quod_flag], [$2], [QUOD_TRY_FLAG_([$1], m4_quote(quod_flag), [LDFLAGS], [AC_LINK_IFELSE])])
])

AC_DEFUN([QUOD_TRY_FLAG_], [
  AS_VAR_PUSHDEF([quod_cache], [quod_cv_flag_$2])
  AC_CACHE_CHECK([whether $CC takes $2], [quod_cache], [
    quod_saved_flags=$$3
    $3="$$3 $$1 -Werror $2"
    $4([AC_LANG_PROGRAM], [AS_VAR_SET([quod_cache], [yes])], [AS_VAR_SET([quod_cache], [no])])
    $3=$quod_saved_flags])
  AS_VAR_IF([quod_cache], [yes], [AS_VAR_APPEND([$1], [" $2"])])
  AS_VAR_POPDEF([quod_cache])
])

dnl QUOD_PROG_CC_FOR_BUILD: a compiler for the programs that run while we build.
AC_DEFUN([QUOD_PROG_CC_FOR_BUILD], [
  AC_ARG_VAR([CC_FOR_BUILD], [C compiler for programs that run during the build])
  AC_ARG_VAR([CFLAGS_FOR_BUILD], [its flags])
  AC_MSG_CHECKING([for a C compiler for this machine])
  AS_IF([test -n "$CC_FOR_BUILD"], [],
    [test "x$cross_compiling" != xyes], [CC_FOR_BUILD=$CC],
    [CC_FOR_BUILD=cc])
  AS_IF([echo 'int main(void) { return 0; }' >conftest.c &&
    $CC_FOR_BUILD conftest.c -o conftest.build >&AS_MESSAGE_LOG_FD 2>&1 && ./conftest.build],
    [AC_MSG_RESULT([$CC_FOR_BUILD])],
    [AC_MSG_ERROR([$CC_FOR_BUILD makes no program that runs here: set CC_FOR_BUILD])])
  rm -f conftest.c conftest.build
  : ${CFLAGS_FOR_BUILD=-O1}
])

dnl QUOD_LIB_FOR_BUILD(VARIABLE, MODULE, DEBIAN-PACKAGES): a library for those programs.
dnl When not cross compiling it is the one that QUOD_NEED has found.
AC_DEFUN([QUOD_LIB_FOR_BUILD], [
  AC_ARG_VAR([$1_CFLAGS_FOR_BUILD], [flags for $2 on the build machine])
  AC_ARG_VAR([$1_LIBS_FOR_BUILD], [libraries for $2 on the build machine])
  AS_IF([test -n "$$1_LIBS_FOR_BUILD"], [],
    [test "x$cross_compiling" != xyes],
    [$1_CFLAGS_FOR_BUILD=$$1_CFLAGS
     $1_LIBS_FOR_BUILD=$$1_LIBS],
    [$1_LIBS_FOR_BUILD=`env -u PKG_CONFIG_LIBDIR -u PKG_CONFIG_PATH pkg-config --libs "$2" 2>&AS_MESSAGE_LOG_FD`
     $1_CFLAGS_FOR_BUILD=`env -u PKG_CONFIG_LIBDIR -u PKG_CONFIG_PATH pkg-config --cflags "$2" 2>&AS_MESSAGE_LOG_FD`
     AS_IF([test -z "$$1_LIBS_FOR_BUILD"],
       [AC_MSG_ERROR([the build machine needs $2 too: apt install $3])])])
])

dnl QUOD_JS_CC_WORKS(COMPILER, CPPFLAGS, LDFLAGS): sets quod_js_works to yes if it makes
dnl static programs that see the kernel's headers.
AC_DEFUN([QUOD_JS_CC_WORKS], [
  AC_MSG_CHECKING([whether $1 makes static programs])
  AC_LANG_CONFTEST([AC_LANG_PROGRAM([
    #include <stdio.h>
    #include <linux/filter.h>
    #include <linux/seccomp.h>
  ], [puts("")])])
  AS_IF([$1 $2 conftest.c $3 -o conftest.js >&AS_MESSAGE_LOG_FD 2>&1],
    [quod_js_works=yes], [quod_js_works=no])
  rm -f conftest.c conftest.js
  AC_MSG_RESULT([$quod_js_works])
])

dnl QUOD_WITH_SOURCE(NAME, WHAT, FILE, VARIABLE): --with-NAME=DIR sets VARIABLE; FILE must be there.
AC_DEFUN([QUOD_WITH_SOURCE], [
  AC_ARG_WITH([$1], [AS_HELP_STRING([--with-$1=DIR], [source of $2 @<:@npm@:>@])],
    [AS_CASE([$withval], [yes|no|""], [AC_MSG_ERROR([--with-$1 takes a directory])],
      [/*], [], [AC_MSG_ERROR([--with-$1 takes an absolute path, not $withval])])
     AS_IF([test -r "$withval/$3"], [],
       [AC_MSG_ERROR([$withval is not $2: there is no $3 in it])])
     $4=$withval])
  AC_SUBST([$4])
])

dnl QUOD_SYSTEMD_DIR(VARIABLE, WHAT, BELOW PREFIX): a directory of systemd's, as its
dnl pkg-config file has it; what goes to a prefix of its own, where systemd does not look,
dnl has them there.
AC_DEFUN([QUOD_SYSTEMD_DIR], [
  AC_ARG_WITH([$1], [AS_HELP_STRING([--with-$1=DIR], [where $2 go @<:@where systemd looks@:>@])],
    [$1=$withval],
    [AS_CASE([$prefix], [NONE|/usr|/usr/local],
      [$1=`$PKG_CONFIG --variable=$1 systemd 2>/dev/null`], [$1=])])
  AS_CASE([$$1], [/*], [], [""], [$1='${prefix}/$3'],
    [AC_MSG_ERROR([--with-$1 takes an absolute path, not $$1])])
  AC_SUBST([$1])
])
