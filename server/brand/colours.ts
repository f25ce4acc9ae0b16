/**
 * Checks that text in an organisation's two colours is legible (contrast by WCAG 2.2), and derives the colours of the screens
 * from them. Pure.
 */

export interface BrandColours {
  /** Colour of main buttons, and of the text and frame of other buttons. */
  readonly action: string
  /** Background of name and logo. */
  readonly band: string
}

/** Copied from renderer/design/tokens.css; a test compares them. */
export const PAPER = { bg: '#fbfaf6', surface: '#ffffff', text: '#14202b' } as const
export const INK = { bg: '#0f1820', surface: '#18242f' } as const
const WHITE = '#ffffff'

/** WCAG 2.2 AA, 1.4.3: text of ordinary size. */
export const MIN_CONTRAST = 4.5
/** WCAG 2.2 AAA, the goal of the design for dark surfaces. */
const DARK_CONTRAST = 7

interface ContrastProblem {
  readonly colour: keyof BrandColours
  readonly message: string
}

export function contrastProblems({ action, band }: BrandColours): readonly ContrastProblem[] {
  const onPaper = Math.min(computeContrast(action, PAPER.bg), computeContrast(action, PAPER.surface))
  const onBand = computeContrast(textOn(band), band)
  const said = (ratio: number) => `${Math.floor(ratio * 100) / 100} to 1`
  const needed = `WCAG 2.2 AA (1.4.3) needs ${MIN_CONTRAST} to 1`
  const problems: ContrastProblem[] = []
  if (onPaper < MIN_CONTRAST) {
    const message = `buttons in ${action} stand out from the page by ${said(onPaper)}; ${needed}: take a darker colour`
    problems.push({ colour: 'action', message })
  }
  if (onBand < MIN_CONTRAST) {
    const message = `neither white nor ink can be read on ${band}, at most ${said(onBand)}; ${needed}: take a darker or a lighter colour`
    problems.push({ colour: 'band', message })
  }
  return problems
}

/** Chooses dark or white text for a surface, by the higher contrast. */
function textOn(surface: string): string {
  return computeContrast(PAPER.text, surface) >= computeContrast(WHITE, surface) ? PAPER.text : WHITE
}

/** Builds the custom properties of the screens. High contrast and the light on a face keep their own colours. */
export function buildStylesheet({ action, band }: BrandColours): string {
  const onInk = lightened(action, (colour) => computeContrast(colour, INK.surface) >= DARK_CONTRAST)
  return [
    rule(":root:not([data-surround='ink'], [data-contrast='high'], [data-lit])", {
      '--action': action,
      '--action-label': WHITE,
      '--action-pressed': mix(action, '#000000', 0.25),
      '--brand-band': band,
      '--brand-band-text': textOn(band),
    }),
    rule(":root[data-surround='ink']:not([data-contrast='high'], [data-lit])", {
      '--action': onInk,
      '--action-label': INK.bg,
      '--action-pressed': mix(onInk, WHITE, 0.35),
    }),
  ].join('')
}

/** Builds the default colours of the capture elements for pages that set none. */
export function buildCaptureStylesheet({ action }: BrandColours): string {
  return rule(':where(document-capture, portrait-capture)', {
    '--capture-action': action,
    '--capture-action-label': WHITE,
  })
}

/** Returns a ratio from 1 to 21. @param a, b `#rrggbb` */
export function computeContrast(a: string, b: string): number {
  const [lighter = 0, darker = 0] = [computeLuminance(a), computeLuminance(b)].sort(
    (one, other) => other - one,
  )
  return (lighter + 0.05) / (darker + 0.05)
}

function rule(selector: string, properties: Readonly<Record<string, string>>): string {
  const lines = Object.entries(properties).map(([name, value]) => `  ${name}: ${value};\n`)
  return `${selector} {\n${lines.join('')}}\n`
}

const parseChannels = (colour: string): readonly number[] =>
  [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))

/** Relative luminance (WCAG 2.2, definitions). */
function computeLuminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = parseChannels(colour).map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function mix(colour: string, other: string, share: number): string {
  const others = parseChannels(other)
  const mixed = parseChannels(colour).map((channel, at) =>
    Math.round(channel + ((others[at] ?? 0) - channel) * share),
  )
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}

/** Mixes in the smallest share of white that is enough; pure white always is. */
function lightened(colour: string, isEnough: (colour: string) => boolean): string {
  const steps = Array.from({ length: 21 }, (_, step) => mix(colour, WHITE, step / 20))
  return steps.find(isEnough) ?? WHITE
}
