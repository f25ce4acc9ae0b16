/**
 * Reports each change once: an advice when its time has come, the shutter and the ladder when they have
 * changed.
 */
import type {
  DocumentGuidanceCode,
  LadderDetail,
  OutlineDetail,
  PhotoRefusedDetail,
  ShutterDetail,
} from '../events.ts'
import { nextMessage, noMessage, showNow, type Timing } from '../guidance-timing.ts'
import { CAPTURE_LIMITS } from '../limits.ts'
import type { Advice, Direction } from './advice.ts'

export interface SideTelling {
  advice(advice: Advice): void
  outline(detail: OutlineDetail): void
  shutter(detail: ShutterDetail): void
  ladder(detail: LadderDetail): void
  /** A photo by the applicant cannot be used; an advice gives the reason. */
  refused(detail: PhotoRefusedDetail): void
}

export class SideTeller {
  readonly #tell: SideTelling
  #timing: Timing<string> = noMessage()
  #told = { advice: '', shutter: '', ladder: '' }

  constructor(tell: SideTelling) {
    this.#tell = tell
  }

  /** Null: no advice is known now. Returns the shown advice, and whether it appeared with this call. */
  advise(advice: Advice | null, nowMs: number): { shown: string | null; isNew: boolean } {
    this.#timing = nextMessage(this.#timing, advice && toKey(advice), nowMs, CAPTURE_LIMITS.guidance)
    const { shown } = this.#timing
    const isNew = shown !== null && shown !== this.#told.advice
    if (isNew) this.#tell.advice(parseAdvice(shown))
    this.#told.advice = shown ?? this.#told.advice
    return { shown, isNew }
  }

  /** Shows the advice immediately. */
  say(advice: Advice, nowMs: number): void {
    const key = toKey(advice)
    this.#timing = showNow(key, nowMs)
    this.#told.advice = key
    this.#tell.advice(advice)
  }

  shutter(share: number): void {
    this.#once('shutter', { state: share > 0 ? 'filling' : 'searching', share })
  }

  ladder(detail: LadderDetail): void {
    this.#once('ladder', detail)
  }

  refused(detail: PhotoRefusedDetail): void {
    this.#tell.refused(detail)
  }

  outline(detail: OutlineDetail): void {
    this.#tell.outline(detail)
  }

  taken(): void {
    this.#tell.shutter({ state: 'taken', share: 1 })
    this.#tell.outline({ corners: null, shinySpot: null })
  }

  #once<K extends 'shutter' | 'ladder'>(kind: K, detail: Parameters<SideTelling[K]>[0]): void {
    const key = JSON.stringify(detail)
    if (key === this.#told[kind]) return
    this.#told[kind] = key
    ;(this.#tell[kind] as (detail: object) => void)(detail)
  }
}

const toKey = ({ code, direction }: Advice): string => (direction ? `${code}.${direction}` : code)

function parseAdvice(key: string): Advice {
  const [code, direction = null] = key.split('.')
  return { code: code as DocumentGuidanceCode, direction: direction as Direction | null }
}
