/** Codes of issuing states, organisations and nationalities (Doc 9303 part 3, section 5). */

/** ISO 3166-1 alpha-3, edition 2020 with later changes: 249 countries and territories. */
export const ISO_3166_CODES: readonly string[] = splitCodes(`
ABW AFG AGO AIA ALA ALB AND ARE ARG ARM ASM ATA ATF ATG AUS AUT AZE BDI BEL BEN BES BFA BGD BGR BHR BHS BIH BLM BLR BLZ
BMU BOL BRA BRB BRN BTN BVT BWA CAF CAN CCK CHE CHL CHN CIV CMR COD COG COK COL COM CPV CRI CUB CUW CXR CYM CYP CZE DEU
DJI DMA DNK DOM DZA ECU EGY ERI ESH ESP EST ETH FIN FJI FLK FRA FRO FSM GAB GBR GEO GGY GHA GIB GIN GLP GMB GNB GNQ GRC
GRD GRL GTM GUF GUM GUY HKG HMD HND HRV HTI HUN IDN IMN IND IOT IRL IRN IRQ ISL ISR ITA JAM JEY JOR JPN KAZ KEN KGZ KHM
KIR KNA KOR KWT LAO LBN LBR LBY LCA LIE LKA LSO LTU LUX LVA MAC MAF MAR MCO MDA MDG MDV MEX MHL MKD MLI MLT MMR MNE MNG
MNP MOZ MRT MSR MTQ MUS MWI MYS MYT NAM NCL NER NFK NGA NIC NIU NLD NOR NPL NRU NZL OMN PAK PAN PCN PER PHL PLW PNG POL
PRI PRK PRT PRY PSE PYF QAT REU ROU RUS RWA SAU SDN SEN SGP SGS SHN SJM SLB SLE SLV SMR SOM SPM SRB SSD STP SUR SVK SVN
SWE SWZ SXM SYC SYR TCA TCD TGO THA TJK TKL TKM TLS TON TTO TUN TUR TUV TWN TZA UGA UKR UMI URY USA UZB VAT VCT VEN VGB
VIR VNM VUT WLF WSM YEM ZAF ZMB ZWE`)

/** Codes specific to Doc 9303: British nationals, Germany, Kosovo, organisations, stateless persons, obsolete codes. */
const ICAO_ONLY = splitCodes(`
GBD GBN GBO GBP GBS D RKS XXK EUE UNO UNA UNK XBA XIM XCC XCE XCO XEC XPO XES XMP XOM XDC XXA XXB XXC XXX ANT NTZ`)

const KNOWN: ReadonlySet<string> = new Set([...ISO_3166_CODES, ...ICAO_ONLY])

/** Utopia: used only on specimens. Such a document proves nothing about a person. */
export const SPECIMEN_STATE = 'UTO'

type IssuerKind = 'known' | 'specimen' | 'unknown'

/** `code` as printed, with or without trailing fillers. */
export function issuerKind(code: string): IssuerKind {
  const bare = bareCode(code)
  if (bare === SPECIMEN_STATE) return 'specimen'
  return KNOWN.has(bare) ? 'known' : 'unknown'
}

/** Germany prints D followed by two fillers. */
export function bareCode(code: string): string {
  return code.replace(/<+$/, '')
}

/** All printed three-character forms, including fillers. */
export function printedCodes(): string[] {
  return [...KNOWN, SPECIMEN_STATE].map((code) => code.padEnd(3, '<'))
}

function splitCodes(text: string): string[] {
  return text.trim().split(/\s+/)
}
