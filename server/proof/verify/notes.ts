/** Turns a proof's statements about its own time into sentences. */
import { type ProofDocument, type SealingMembers } from './document.ts'

const WORTH_SAYING_MS = 5 * 60_000 // a correct authority and a correct appliance differ by seconds

/** @param stamped time of a trusted time stamp, ISO 8601; null if there is none */
export function timeNotes(
  { endDateTime, time }: Pick<ProofDocument, 'endDateTime'> & Pick<SealingMembers, 'time'>,
  stamped: string | null,
): string[] {
  const notes = time ? [clockNote(time)] : []
  if (stamped !== null) {
    const apartMs = Math.abs(Date.parse(stamped) - Date.parse(`${endDateTime}Z`))
    if (apartMs > WORTH_SAYING_MS) {
      notes.push(
        `The time stamp and the clock of the appliance are ${Math.round(apartMs / 60_000)} minutes apart.`,
      )
    }
  }
  return notes
}

function clockNote({ source, uncertaintyMs, earliest, latest }: NonNullable<SealingMembers['time']>): string {
  switch (source) {
    case 'CENTRE': {
      const within = uncertaintyMs === null ? '' : ` to within ${Math.ceil(uncertaintyMs / 1000)} s`
      return `The clock of the appliance was confirmed by its central service${within}.`
    }
    case 'SYSTEM':
      return 'No other source has confirmed the clock of the appliance.'
    case 'UNSURE':
      return `The clock of the appliance had been set: the true time is between ${earliest} and ${latest}.`
  }
}
