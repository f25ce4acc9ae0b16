/**
 * Country codes of telephone numbers (ITU-T E.164, list of assigned codes), the possible lengths of the numbers, and the
 * usual grouping of the digits.
 */

// ISO 3166-1 alpha-2, code, and the possible counts of digits after the code (libphonenumber, `possibleLengths` of 1.13.16),
// sorted by country.
const LIST =
  'AD376:6/8-9 AE971:5-12 AF93:9 AG1:10 AI1:10 AL355:6-9 AM374:8 AO244:9 AR54:10-11 AS1:10 AT43:4-13 ' +
  'AU61:5-10/12 AW297:7 AX358:5-12 AZ994:9 BA387:8-9 BB1:10 BD880:6-10 BE32:8-9 BF226:8 BG359:6-9/12 ' +
  'BH973:8 BI257:8 BJ229:10 BM1:10 BN673:7 BO591:8-9 BR55:8-11 BS1:10 BT975:7-8 BW267:7-8/10 BY375:6-11 ' +
  'BZ501:7/11 CA1:7/10 CD243:7-10 CF236:8 CG242:9 CH41:9/12 CI225:10 CK682:5 CL56:9-11 CM237:8-9 CN86:7-12 ' +
  'CO57:8/10-11 CR506:8/10 CU53:6-8/10 CV238:7 CW599:7-8 CY357:8 CZ420:9-12 DE49:4-15 DJ253:8 DK45:8 DM1:10 ' +
  'DO1:10 DZ213:8-9 EC593:8-11 EE372:7-8/10 EG20:8-10 ER291:7 ES34:9 ET251:9 FI358:5-12 FJ679:7/11 FK500:5 ' +
  'FM691:7 FO298:6 FR33:9 GA241:7-8 GB44:7/9-10 GD1:10 GE995:9 GF594:9 GG44:7/9-10 GH233:8-9 GI350:8 ' +
  'GL299:6 GM220:7/9 GN224:8-9 GP590:9 GQ240:9 GR30:10-12 GT502:8/11 GU1:10 GW245:7/9 GY592:7 HK852:5-9/11 ' +
  'HN504:8/11 HR385:7-9 HT509:8 HU36:8-9 ID62:7-17 IE353:7-10 IL972:7-12 IM44:10 IN91:8-13 IQ964:8-10 ' +
  'IR98:4-7/10 IS354:7/9 IT39:6-12 JE44:10 JM1:10 JO962:8-9 JP81:8-17 KE254:7-10 KG996:9-10 KH855:8-10 ' +
  'KI686:5/8 KM269:7 KN1:10 KP850:8/10 KR82:5-6/8-14 KW965:7-8 KY1:10 KZ7:10/14 LA856:8-10 LB961:7-8 LC1:10 ' +
  'LI423:7/9 LK94:9 LR231:7-9 LS266:8 LT370:8 LU352:4-11 LV371:8 LY218:9 MA212:9 MC377:8-9 MD373:8 ' +
  'ME382:8-9 MG261:9 MH692:7 MK389:8 ML223:8 MM95:6-10 MN976:8-10 MO853:7-8 MQ596:9 MR222:8 MS1:10 MT356:8 ' +
  'MU230:7-8/10 MV960:7/10 MW265:7/9 MX52:10 MY60:8-10 MZ258:8-9 NA264:8-9 NC687:6 NE227:8 NG234:10-14 ' +
  'NI505:8 NL31:5-11 NO47:5/8 NP977:8/10-11 NR674:7 NU683:4/7 NZ64:5-10 OM968:7-9 PA507:7-8/10-11 PE51:8-9 ' +
  'PF689:6/8-9 PG675:7-8 PH63:6/8-13 PK92:8-12 PL48:6-10 PM508:6/9 PR1:10 PS970:8-10 PT351:9 PW680:7 ' +
  'PY595:6-11 QA974:7-9/11 RE262:9 RO40:6/9 RS381:6-12 RU7:10/14 RW250:8-9 SA966:9-10 SB677:5/7 SC248:7 ' +
  'SD249:9 SE46:6-10/12 SG65:8/10-11 SI386:5-8 SK421:6-7/9 SL232:8 SM378:8/10 SN221:9 SO252:6-9 SR597:6-7 ' +
  'SS211:9 ST239:7 SV503:7-8/11 SX1:10 SY963:8-9 SZ268:8-9 TC1:10 TD235:8 TG228:8 TH66:8-10/13 TJ992:9 ' +
  'TK690:4-7 TL670:7-8 TM993:8 TN216:8 TO676:5/7 TR90:7/10/12-13 TT1:10 TV688:5-7 TW886:7-11 TZ255:9 ' +
  'UA380:9-10 UG256:9 US1:10 UY598:4-13 UZ998:9 VA39:6-12 VC1:10 VE58:10 VG1:10 VI1:10 VN84:7-10 VU678:5/7 ' +
  'WF681:6/9 WS685:5-7/10 XK383:8-12 YE967:7-9 YT262:9 ZA27:5-10 ZM260:9 ZW263:7/9-10'

export interface DialCountry {
  readonly iso2: string
  readonly code: string
  readonly lengths: readonly number[]
}

export const DIAL_COUNTRIES: readonly DialCountry[] = LIST.split(' ').map((entry) => {
  const [country = '', lengths = ''] = entry.split(':')
  return {
    iso2: country.slice(0, 2),
    code: country.slice(2),
    lengths: lengths.split('/').flatMap((range) => {
      const [least = 0, most = least] = range.split('-').map(Number)
      return Array.from({ length: most - least + 1 }, (_, more) => least + more)
    }),
  }
})

/** There a leading zero is part of the number; elsewhere it is the national prefix. */
const KEEPS_ZERO = ['BF', 'BJ', 'CG', 'CI', 'IT', 'SM', 'TJ', 'VA']

/** Null: no number of this country has this length, or it is none by E.164 (at most 15 digits). */
export function internationalNumber({ iso2, code, lengths }: DialCountry, typed: string): string | null {
  const national = KEEPS_ZERO.includes(iso2) ? typed : typed.replace(/^0+/, '')
  const number = `+${code}${national}`
  return /^\+[1-9][0-9]{6,14}$/.test(number) && lengths.includes(national.length) ? number : null
}

/** Groups the digits: pairs in France, 3-3-4 in North America, threes elsewhere. */
export function groupDigits(code: string, typed: string): string {
  const groups =
    code === '33'
      ? pairs(typed)
      : code === '1'
        ? [typed.slice(0, 3), typed.slice(3, 6), typed.slice(6)]
        : (typed.match(/.{1,3}/g) ?? [])
  return groups.filter((part) => part !== '').join(' ')
}

function pairs(typed: string): readonly string[] {
  const first = typed.startsWith('0') ? 2 : 1
  return [typed.slice(0, first), ...(typed.slice(first).match(/.{1,2}/g) ?? [])]
}
