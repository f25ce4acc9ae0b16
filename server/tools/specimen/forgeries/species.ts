/** All kinds of forgery on which the authenticity signals are measured. */
import type { AuthenticitySignalName } from '../../../vision/protocol.ts'
import { shoot, toJpeg, type Shot } from './camera.ts'
import { copied, type CopyKind } from './copies.ts'
import { isInstalled, UNSEEN_FONTS, type FontId } from './fonts.ts'
import { genuinePage, type Page } from './page.ts'
import { gluedPortrait, pastedPortrait, PASTES } from './portraits.ts'
import { filmedScreen, VIEWINGS } from './screens.ts'
import { PATCHES, setMrzInFont, patchMrz } from './zones.ts'

export interface DocumentPaiSpecies {
  readonly name: string
  /** The signal that should detect it. */
  readonly signal: AuthenticitySignalName
  /** Declared in advance as undetectable by the signal: reported, but not counted as a miss. */
  readonly outOfReach?: true
  /** JPEG. The same seed gives the same picture. */
  render(seed: number): Promise<Buffer>
}

const ofPage = (forge: (page: Page, seed: number) => Promise<Page>) => async (seed: number) => {
  const shot = await shoot((await forge(await genuinePage(seed), seed)).png, seed)
  return toJpeg(shot.picture, shot.quality)
}

const ofShot = (forge: (shot: Shot, seed: number) => Promise<Shot>) => async (seed: number) => {
  const shot = await forge(await shoot((await genuinePage(seed)).png, seed), seed)
  return toJpeg(shot.picture, shot.quality)
}

export const renderGenuine = ofPage(async (page) => page)

const keys = <K extends string>(table: Readonly<Record<K, unknown>>) => Object.keys(table) as K[]
const COPY_KINDS: readonly CopyKind[] = ['grey', 'toned', 'laser', 'colour']

interface Printed extends DocumentPaiSpecies {
  readonly font: FontId
}

/** MRZs printed with a font of this machine. */
const PRINTED: readonly Printed[] = [
  ...keys(UNSEEN_FONTS).map((font): Printed => ({
    name: `zone-${font}`,
    signal: 'ZONE_GLYPHS',
    font,
    render: ofPage(setMrzInFont(font)),
  })),
  ...keys(PATCHES).map((kind): Printed => ({
    name: `zone-patched-${kind}`,
    signal: 'ZONE_GLYPHS',
    font: PATCHES[kind].font,
    render: ofPage(patchMrz(kind)),
  })),
]

/** Species that cannot be rendered here, with the missing font. */
export const NOT_RENDERED: readonly { readonly name: string; readonly font: FontId }[] = PRINTED.filter(
  ({ font }) => !isInstalled(font),
)

export const DOCUMENT_PAI_SPECIES: readonly DocumentPaiSpecies[] = [
  ...PRINTED.filter(({ font }) => isInstalled(font)),
  { name: 'portrait-glued', signal: 'PORTRAIT_SUBSTITUTION', render: ofPage(gluedPortrait) },
  ...keys(PASTES).map((kind): DocumentPaiSpecies => ({
    name: `portrait-pasted-${kind}`,
    signal: 'PORTRAIT_SUBSTITUTION',
    render: ofShot((shot, seed) => pastedPortrait(shot, seed, PASTES[kind])),
  })),
  ...keys(VIEWINGS).map((kind): DocumentPaiSpecies => ({
    name: `screen-${kind}`,
    signal: 'SCREEN_RECAPTURE',
    render: async (seed) => filmedScreen((await genuinePage(seed)).png, seed, VIEWINGS[kind]),
  })),
  ...COPY_KINDS.map((kind): DocumentPaiSpecies => ({
    name: `copy-${kind}`,
    signal: 'PHOTOCOPY',
    ...(kind === 'colour' ? { outOfReach: true as const } : {}),
    render: ofPage((page, seed) => copied(page, seed, kind)),
  })),
]
