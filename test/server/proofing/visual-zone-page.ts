/** Pages for tests: lines with the places at which an image reader would have found them. */
import type { PageContent, TextLine } from '../../../server/proofing/visual-zone/text.ts'

/** Text, upper left corner in shares of the page, height in shares of it. */
export type Printed = readonly [text: string, x: number, y: number, height?: number, confidence?: number]

const LETTER_WIDTH = 0.4

export function aPage(aspect: number, printed: readonly Printed[]): PageContent {
  return { aspect, lines: printed.map((line) => aLine(line, aspect)) }
}

function aLine([text, x, y, height = 0.03, confidence = 0.95]: Printed, aspect: number): TextLine {
  const letter = (height * LETTER_WIDTH * 1.6) / aspect
  let at = x
  const words = text.split(' ').map((word) => {
    const box = { x: at, y, width: word.length * letter, height }
    at += box.width + letter
    return { text: word, confidence, box }
  })
  return { words, box: { x, y, width: at - letter - x, height } }
}

export const PASSPORT: PageContent = aPage(1.42, [
  ['UTOPIA', 0.355, 0.055, 0.04],
  ['PASSPORT PASSEPORT', 0.354, 0.12],
  ['Type Type', 0.352, 0.17, 0.02],
  ['Code Code', 0.528, 0.17, 0.02],
  ['Passport No. No de passeport', 0.705, 0.17, 0.02],
  ['P', 0.354, 0.2],
  ['UTO', 0.53, 0.2],
  ['L898902C3', 0.705, 0.2],
  ['Surname Nom', 0.353, 0.25, 0.02],
  ['ERIKSSON', 0.353, 0.275],
  ['Given names Prénoms', 0.353, 0.325, 0.02],
  ['ANNA MARIA', 0.353, 0.35],
  ['Nationality Nationalité', 0.353, 0.4, 0.02],
  ['UTOPIAN', 0.353, 0.425],
  ['Place of birth Lieu de naissance', 0.705, 0.4, 0.02],
  ['ZENITH', 0.705, 0.425],
  ['Date of birth Date de naissance', 0.353, 0.48, 0.02],
  ['12 AUG 1974', 0.353, 0.505],
  ['Sex Sexe', 0.705, 0.48, 0.02],
  ['F', 0.705, 0.505],
  ['Date of issue Date de délivrance', 0.353, 0.555, 0.02],
  ['01 JAN 2030', 0.353, 0.58],
  ['Authority Autorité', 0.705, 0.555, 0.02],
  ['PASSPORT OFFICE', 0.705, 0.58],
  ['Date of expiry Date d’expiration', 0.353, 0.635, 0.02],
  ['31 DEC 2029', 0.353, 0.66],
])
