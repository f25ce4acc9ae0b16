/** Measures how long the inspection of a passport takes at the speeds of a contactless interface, by file, on the clock of TimedChip. */
import { inspectChip } from '../../../chip/inspection/inspect.ts'
import type { Inspection } from '../../../chip/inspection/report.ts'
import { EXTENDED_LENGTHS } from '../../simulator/chip/card.ts'
import { makeDocument, type ProfileChanges } from '../../simulator/chip/profiles.ts'
import { JPEG, writeDg2, writeFaceRecord } from '../../simulator/chip/portrait-files.ts'
import { TimedChip, type BitRate } from './timed-chip.ts'

/** BSI TR-03135-1 v2.5, 4.1.4: from the document that lies still, with a known key. */
export const MAX_SECONDS = 7

export interface SpeedResult {
  readonly kbitPerSecond: BitRate
  /** The chip states responses beyond 256 bytes in EF.ATR/INFO. */
  readonly extendedLength: boolean
  readonly portraitBytes: number
  /** Factor on the assumed times of the chip. */
  readonly slowness: number
  readonly verdict: Inspection['verdict']
  readonly commands: number
  /** Seconds of the whole inspection: model, and the time of this program without the simulated chip. */
  readonly seconds: number
  readonly ownSeconds: number
  /** Seconds until the end of each part, in the order of the inspection. */
  readonly parts: readonly { readonly name: string; readonly bytes: number; readonly seconds: number }[]
}

const NAMES: Readonly<Record<number, string>> = { 0x11c: 'EF.CardAccess', 0x11d: 'EF.SOD', 0x11e: 'EF.COM' }

export async function measureSpeed(
  rate: BitRate,
  extendedLength: boolean,
  portraitBytes: number,
  slowness: number,
): Promise<SpeedResult> {
  const portrait = Buffer.concat([JPEG, Buffer.alloc(Math.max(0, portraitBytes - JPEG.length), 0x5a)])
  const { atrInfo, maxResponse } = EXTENDED_LENGTHS
  const changes: ProfileChanges = {
    groups: (groups) => ({ ...groups, 2: writeDg2(writeFaceRecord(portrait)) }),
    ...(extendedLength ? { masterFile: { 0x2f01: atrInfo }, card: { maxResponse } } : {}),
  }
  const { card, ...input } = makeDocument('eacpace', changes)
  const chip = new TimedChip(card, rate, slowness)
  const parts: { name: string; bytes: number; seconds: number }[] = []
  let counted = 0
  const started = performance.now()
  const readOwnMs = (): number => performance.now() - started - chip.simulationMs
  const note = (name: string, bytes: number): void => {
    const now = chip.modelMs + readOwnMs()
    const seconds = (now - counted) / 1000
    counted = now
    const part = parts.at(-1)
    if (part?.name === name) parts[parts.length - 1] = { name, bytes, seconds: part.seconds + seconds }
    else parts.push({ name, bytes, seconds })
  }
  const { verdict } = await inspectChip(chip, {
    ...input,
    onProgress: ({ fileId, bytes }) => note(NAMES[fileId] ?? `DG${fileId - 0x100}`, bytes.length),
  })
  note('the rest', 0)
  return {
    kbitPerSecond: rate,
    extendedLength,
    portraitBytes: portrait.length,
    slowness,
    verdict,
    commands: chip.commands,
    seconds: round(counted / 1000),
    ownSeconds: round(readOwnMs() / 1000),
    parts: parts.map((part) => ({ ...part, seconds: round(part.seconds) })),
  }
}

function round(seconds: number): number {
  return Math.round(seconds * 100) / 100
}

export function describeSpeed(results: readonly SpeedResult[]): string {
  return results
    .flatMap(
      ({
        kbitPerSecond,
        extendedLength,
        portraitBytes,
        slowness,
        verdict,
        commands,
        seconds,
        ownSeconds,
        parts,
      }) => [
        `${kbitPerSecond} kbit/s, ${extendedLength ? 'extended' : 'short'} lengths, portrait ${portraitBytes} bytes${slowness === 1 ? '' : `, chip ${slowness} times slower`}: ` +
          `${seconds} s (${commands} commands, ${ownSeconds} s of this program), ${verdict}`,
        ...parts.map(
          (part) =>
            `  ${part.seconds.toFixed(2).padStart(5)} s  ${part.name}${part.bytes > 0 ? `, ${part.bytes} bytes` : ''}`,
        ),
      ],
    )
    .join('\n')
}
