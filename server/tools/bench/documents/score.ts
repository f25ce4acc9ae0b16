/** Compares the reading of a specimen with its truth. Pure; independent of pictures and worker. */
import { distance } from 'fastest-levenshtein'
import { spellName, standardSpelling } from '../../../proofing/name-spelling.ts'
import type { PageField, PageFieldName } from '../../../proofing/visual-zone/page-facts.ts'
import { bareText } from '../../../proofing/visual-zone/spelling.ts'
import type { TruthField } from '../../specimen/documents/render.ts'
import type { Point, Quad } from '../../../vision/protocol.ts'

/** Intersection over union of two convex quadrilaterals, 0–1. */
export function quadIou(a: Quad, b: Quad): number {
  const [first, second] = [clockwise(a), clockwise(b)]
  let inside: readonly Point[] = first
  for (let i = 0; i < 4 && inside.length > 0; i++) inside = clip(inside, second[i], second[(i + 1) % 4])
  const common = area(inside)
  const union = area(first) + area(second) - common
  return union > 0 ? common / union : 0
}

function clockwise(quad: Quad): readonly Point[] {
  return signedArea(quad) < 0 ? [...quad].reverse() : quad
}

function signedArea(points: readonly Point[]): number {
  return points.reduce((sum, { x, y }, i) => {
    const next = points[(i + 1) % points.length]
    return sum + (x * next.y - next.x * y) / 2
  }, 0)
}

const area = (points: readonly Point[]) => Math.abs(signedArea(points))

/** Part of the polygon on the inner side of the edge from `a` to `b` (Sutherland and Hodgman, 1974). */
function clip(polygon: readonly Point[], a: Point, b: Point): Point[] {
  const side = ({ x, y }: Point) => (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x)
  return polygon.flatMap((p, i) => {
    const q = polygon[(i + 1) % polygon.length]
    const [from, to] = [side(p), side(q)]
    const kept = from >= 0 ? [p] : []
    if (from >= 0 === to >= 0) return kept
    const t = from / (from - to)
    return [...kept, { x: p.x + t * (q.x - p.x), y: p.y + t * (q.y - p.y) }]
  })
}

export interface FieldScore {
  readonly field: PageFieldName
  readonly outcome: 'exact' | 'wrong' | 'missing'
  /** Correct except for diacritics, missing (Ü as U) or spelled out (as UE), and punctuation between words. */
  readonly isPlainExact: boolean
  /** Wrong, missing and superfluous characters; all characters of the truth if nothing was read. */
  readonly errors: number
  readonly characters: number
}

const DATES: readonly PageFieldName[] = ['birthDate', 'issueDate', 'expiryDate']
/** Blanks and hyphens in a number belong to its print, not to its value. */
const NUMBERS: readonly PageFieldName[] = ['documentNumber', 'cardNumber', 'personalNumber']

export function scoreField(truth: TruthField, found: readonly PageField[]): FieldScore {
  const wanted = comparable(truth.field, truth.value)
  const read = findValue(truth.field, found)
  if (read === null) {
    const { length } = wanted
    return { field: truth.field, outcome: 'missing', isPlainExact: false, errors: length, characters: length }
  }
  const got = comparable(truth.field, read)
  return {
    field: truth.field,
    outcome: got === wanted ? 'exact' : 'wrong',
    isPlainExact: got === wanted || plain(got) === plain(wanted) || bareText(got) === bareText(wanted),
    errors: Math.min(wanted.length, distance(wanted, got)),
    characters: wanted.length,
  }
}

/** A name on one line may have been read as two parts. */
function findValue(field: PageFieldName, found: readonly PageField[]): string | null {
  const value = (name: PageFieldName) => found.find((candidate) => candidate.field === name)?.value ?? null
  const direct = value(field)
  if (direct !== null || field !== 'fullName') return direct
  const [given, family] = [value('givenNames'), value('surname')]
  return given !== null && family !== null ? `${given} ${family}` : null
}

function comparable(field: PageFieldName, value: string): string {
  const text = value.normalize('NFC').trim().replace(/\s+/g, ' ').toUpperCase()
  // An unknown day may be reported as unknown or omitted.
  if (DATES.includes(field)) return text.replace(/^(\d{4}-\d\d)-(XX|00|\?\?|<<)$/, '$1')
  if (NUMBERS.includes(field)) return text.replace(/[\s-]/g, '')
  // Commas count in an address but not in a name.
  const signs = text.replaceAll('’', "'")
  return field === 'address' ? signs : signs.replaceAll(',', ' ').replace(/\s+/g, ' ')
}

function plain(text: string): string {
  const components = spellName(text.replace(/\d/g, ''))
  const letters = components?.map(standardSpelling).join('') ?? text
  return `${text.replace(/\D/g, '')} ${letters.replace(/[^A-Z]/g, '')}`
}
