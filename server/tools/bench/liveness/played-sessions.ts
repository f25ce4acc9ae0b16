/** A file of played sessions, one JSON object per line: an interrupted bench continues where it stopped. */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Plan, Played } from './play.ts'

interface PlayedSessions {
  /** Sessions of an earlier run with the same settings. */
  readonly earlier: readonly Played[]
  add(played: Played): void
}

/**
 * The first line has the settings: sessions of other settings must not be counted together.
 * Throws RangeError for a file of other settings.
 */
export function openPlayedSessions(file: string, settings: unknown): PlayedSessions {
  const header = JSON.stringify({ settings })
  if (!existsSync(file)) writeFileSync(file, `${header}\n`)
  // A line without its end is a session that the interruption cut off.
  const [first, ...lines] = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  if (first !== header) throw new RangeError(`${file} was played with other options: name another file`)
  const earlier = lines.flatMap((line) => parseLine(line) ?? [])
  writeFileSync(file, [header, ...earlier.map((played) => JSON.stringify(played)), ''].join('\n'))
  return { earlier, add: (played) => void appendFileSync(file, `${JSON.stringify(played)}\n`) }
}

function parseLine(line: string): Played | null {
  try {
    return JSON.parse(line) as Played
  } catch {
    return null
  }
}

export const isSamePlan = (one: Plan, other: Plan): boolean =>
  one.type === other.type &&
  one.species === other.species &&
  one.index === other.index &&
  one.seed === other.seed
