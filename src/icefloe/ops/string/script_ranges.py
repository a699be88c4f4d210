"""Which script each character belongs to, by ICU's numbers. Registers nothing.

Made by fixtures/make/unicode_scripts.py. Characters of one script that follow one another are a run: `_RUNS` holds the
length and the script of each, in order, as 32-bit and 16-bit little-endian numbers, compressed.
"""

from __future__ import annotations

import base64
import functools
import zlib

import numpy as np

# The scripts that a pattern may name.
SCRIPT_NAMES: dict[str, int] = {
    "Common": 0,
    "Inherited": 1,
    "Arabic": 2,
    "Armenian": 3,
    "Bengali": 4,
    "Bopomofo": 5,
    "Cherokee": 6,
    "Coptic": 7,
    "Cyrillic": 8,
    "Deseret": 9,
    "Devanagari": 10,
    "Ethiopic": 11,
    "Georgian": 12,
    "Gothic": 13,
    "Greek": 14,
    "Gujarati": 15,
    "Gurmukhi": 16,
    "Han": 17,
    "Hangul": 18,
    "Hebrew": 19,
    "Hiragana": 20,
    "Kannada": 21,
    "Katakana": 22,
    "Khmer": 23,
    "Lao": 24,
    "Latin": 25,
    "Malayalam": 26,
    "Mongolian": 27,
    "Myanmar": 28,
    "Ogham": 29,
    "Old_Italic": 30,
    "Oriya": 31,
    "Runic": 32,
    "Sinhala": 33,
    "Syriac": 34,
    "Tamil": 35,
    "Telugu": 36,
    "Thaana": 37,
    "Thai": 38,
    "Tibetan": 39,
    "Canadian_Aboriginal": 40,
    "Yi": 41,
    "Tagalog": 42,
    "Hanunoo": 43,
    "Buhid": 44,
    "Tagbanwa": 45,
    "Braille": 46,
    "Cypriot": 47,
    "Limbu": 48,
    "Linear_B": 49,
    "Osmanya": 50,
    "Shavian": 51,
    "Tai_Le": 52,
    "Ugaritic": 53,
}

_RUNS = r"""
c-
pm^{d1K^6~}j<=ehT}_vYrlBq1RQ$xV1kAP^uFN&>XJREr%LprsZmjN^>0S1DF%X{VH_?a*msMygeZzA*NM8hNQRQms}Ci0J6}7ufNq{@~C4;7{r=IzI
c|v-^C>lgrp~?6glmUCy38d-
m+vvwOQ;nZNpye|lA(cnw&CtHe2Q4_Jd6#J|;sN5MIg5Afez;A7AgCEtql3c*IEc~iRvM`+iXcJ8a^$TTsQ<E`LI@{Lsu{6g|AU_`Ahfvw~SG+Im65r<
$avoZO0COr)IgRO;ma2q&>Ia>?!#1&%gxk;?l5OE3I2I)TEuGLYJSq!d#thO!S)bhn@Eo97$mO-+qHYeW$By&KmPQKremMYk4Ta<k7mv#-
d?QPJ!0la|b(&25kdYqjD;CnHv2(zey10Qv^JrX?yupKub?k1U-Sc5|!MNYohLXVXxP~V7Tv|mRj-
%D&psfkP;oc67eoi(!4ad1mc{ahm(=F@L&2uVKn^Qw_gTzef{@_nl!QzYj0ZsM3YAkKlUJ*5_ULXy$os<+d%m%(vntPuGnjfV!UV}tzMAUhjmXM^l)P&
~}1$Bq>fN4M0|0WNu&B@_=!WL-jPkEosHHF1!UVLhSu)e^BScgwK?(w`@;_&vJ>8k(v-
`7R}&JMJN_fkVF*^T|ix*xP@zOpavIm~rw&u(4zT^;$rdI4%+A!0F1)*Ea&ERyo!gnINOz%C~zj^^tzZx3y@`gCp;~KGEMdM}C+x=dgHqA+;BYH8}9mK
1>;4m`<Xb<<lKBERj$mJ=TUYcvJEnp)*$@|Boc+hV#Zk(!7vX!STWtGCklRBhNB<k|_~K;34p5lJBU<F9lm`M>Fl(pFyLPAFRBsNk(N}Z)2Y3^e>ZDWr
<kJ){>Q8MnO**2YH9OC*d}Vr8ZilHqtqt%!(H6!~cWMDz#6wkhzO^2pszOY?C;702NH&SI6;l$-
kE4OdpV5yHLA?@Jt&x_Pb_`{68kOfyqBB<@7K5nr)TDq3JbFdt{vU<G9Ft9+hYsEj<+5j?JI;%P1PG{fPaPPx?jvAUO7G-
7hh4w=(m!+1^yVYo%`)9A#L8LuwyPzUwLe*NY!kCEv}`s}G#__0?uN3pQhodaxfi()qO!_3aU{X8;^{4M)f)jw>WnhhMgWcPHOF#gcKb9erE!eJrt8C2
|EHMO)Qm^1V-Fs>C7K)SO?1p9|#AGUc2yv^^#|Ls(*0r=2+V_XQ=@Z=N{xd)dk7d?jyhANCedP!rS=5x4vMO989gEBA;^UZ-
6zjlX+QZ&YYUI38)yUTAScX~hldyMfxP#Fflgw!M?u`DRokE|bR&cu(4Bakso6(^4f#>#@-14TaOq<|{4L-
3Z;((lzR(wd=+0$#EUL!fRF%hp%Gm_L4mdY{m{<=hf<X;Pg9ttesy0o15&Uv@j1r?{P#}&S$6izd8j><Zq#hVvE#N8r*{nSj^<={|65tZueuR<35Mf<x
dZSZMOUf+($8x){xd?b-J0>;d7fO>vCT+Gwnb;+rD+$mG-
3QqP(Of>xO8znjcL5>8AE>@$E|NTkW%Y2i2VRMx4W$u4FDX^lgyjHvbmUfjg#M_ih>YbKr~M8@<MIEB~*14ckb5DKhaF`aAv#SwWM>o>!|9MPI}T)l^@
A&yCJglDif|+m|SMH_$#Rg2#Le_hO|s$yg=-N?_yaLD6Y)(bt5_;Jjb)5^n2zX}$KsKaa|pqQL|3h8<;3^4&vGZQmC5&>d$Fytjy6Id+H#D&X{--
9c5^4%o8@wZyZi{cJ=%i(T-
zoS1p4G_ri_owAbNmx`31Bky4s$@}2P)fhLm_Hpss>`LQ}vadxuq}PPyVZ)DV6A!lU5k&Zix2IS7<`BC%zt=kHjOZi}cT&YNAD6&iN9L-d<q>T-
pp3drxt6B79lYGHh-<GQ0yv5)e)koU8(z9YJBgz?8Nj{XOp|6!@<T1&3EO-
uxxF?{d%Qsrm<I>9<dEcJ8a?)-H0edr?u!YL=_BqW4v4GZz<X%|JGZG$f^*&mMOBazdy3$_bdt8ypW2vQL%nQ$a>`d_kBFp+w=c^nX=VCpM6-(rWk-bI
e$+#0o;)Z#h%A%F+XnQ#L-bU@V}4&0k;iUBuXVIL)=A8mzCR`#9GiIireq;g0lq~U<}LNI%@xUi>=&C&b+lhrssMh?uksp-
t2JWzD&hbfk_^im&Bv*pIgXfo88P-
9v9JhU>to;@()^D2EeAGL^dTDS5aQ=3o%Kht`)uStfXw!i_@oPLZCmZzr)aDx(Nm!Ikaz$bP<!N8WQyKH92*;6!1vp73pTgi6Ljx5A^ta6;tAS8Prz@_
P%ZilJo7YJ_%vP~PSX3~Ny&9Fcpvy4oTD54i^pzx6|o%qRo;!5`9M~r1Rl|@vUPdJMCJ|h%nhm>Zs4@CvG*&{W8{B{8pFOw|60yslgU4nxtm_w#V3Q{b
eC;UPAa9IqUe2!-
gRFS`%B=wuf3n7mzgKU665)|Wkgd6yh^_~42ymv{{}_)8_D?2pR=@QXDJ)cQjVIXntWF5F)#Mtl~pT&^S<v4z3|MCCuiu5bcS;248`gUonJF#o5mdH(-
snIaGp3vqXfhujq)w<;pF=+js7lH&A#xwN%8ZhI`3oqJl(d=OZNVB^8KNBz68$u{M?Udw{IY?(<;9XZT1(ObM$6%j^69eC6VZUPx+a82y80t@5%1aV59
RodE+|mwd>?($Ag*n^enqBaa97}?e$!xY;%=vXIEjr_1I6vW5&YwkYVhsf23mV^2tRRcbvEaF8RE4k#2UED1I)H{3T=qyRw&QE|)3hFH?4%Po@Y?SNXE
6n)$v@@{X6aXt(m|%D%5|*KS|`Jjof(hUX<4ti!u^JH3aWO$>b))q69kvJIy(`LM**@4?qfxJ4!*vXf@9Q~j}OcxPhP57dXKB&Py%JBa;_{tQ)pXQ=8v
gB)U`;zg>6UX&FvF|bRx1WtFc;|1WHKlOI0_X5L*68=SEwR@dAEaOgr(_e)S%SmUnoyGSRdNKQrcpyMMZ11`M>@kvd?aVTtRUc_1Ip%$GR{dkK)7h;Cw
YdXM`0UXo6>o$;wR%o#Gj3EwC7iTO({B^gRD(^^T2IqWWLj$4!=0w(?^H34QpI?uui3P`ITYxwYTud$eLbd;b?xunb}cH&%v`p2x6uRihG}oj)8Nli1-
p|tAbT`1xAV=qOsq3ivE}WV+CI%f^T{vD$m=<;0Zsaa{pP;+>s0?z;&qTY9hl$vt6tkNI@gY=eL1Jiy~EVO=}9q3UYaDUCe@#O?z$pYRlsRAdxdt^6?I
IzUo@^!U3U#ngiZAaV=LXEPUH2-zJgw$dh7z}yrAl#;ZI?vyU~6J_;=ouuEOaj4l=*>2XlV+Z_01|I-
@81{|V%YqZTq*4nLtipOjna<hjHx=Gbb!?2|e;mzhg0BeS0Dsc3f|xf|9)v~#PpQ}~6Gc^PGrpMWR*ebdTx$<A$8bH^(Btm1Ze#b<aWndHx*%R)EbD4C
Cw%?C-
R%?w?cH@!)f>g1P!<<vfy$vn2|K0$N8k9eAFs8HV=*%{Ice4NROai%>azs3FqxT(HR<8A~m<GDnJKR$2HBU=G(s2R5B)W<4)!#UNRo>>zEh8tzfJuv(i
<bhqChCldg$!EMlU)wA79QbdrruOe3;r{?lI5nj
"""


@functools.cache
def _runs() -> tuple[np.ndarray, np.ndarray]:
    """Return the first character of each run, and its script."""
    data = zlib.decompress(base64.b85decode("".join(_RUNS.split())))
    table = np.frombuffer(data, [("length", "<u4"), ("script", "<i2")])
    lengths = table["length"].astype(np.int64)
    return np.cumsum(lengths) - lengths, table["script"].astype(np.int32)


def script_of(codes: np.ndarray) -> np.ndarray:
    """Return the script of each character, int32; -1 for a number that is none."""
    starts, scripts = _runs()
    found = scripts[np.searchsorted(starts, codes, "right") - 1]
    return np.where((codes >= 0) & (codes <= 0x10FFFF), found, np.int32(-1))


def script_ranges(script: int) -> list[tuple[int, int]]:
    """Return the first and the last character of each run of a script."""
    starts, scripts = _runs()
    ends = np.append(starts[1:], 0x110000) - 1
    chosen = scripts == script
    return list(zip(starts[chosen].tolist(), ends[chosen].tolist()))
