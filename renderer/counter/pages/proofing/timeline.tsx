/** The events of the case in their order, in words: who, what, when. */
import type { ProofingDetail, TimelineEntry } from '../../../../server/counter/contract/today.ts'
import { useText } from '../../text.tsx'
import type { Texts } from '../../text.tsx'
import { Card } from '../../ui/card.tsx'
import { Time } from '../../ui/time.tsx'
import { EventDetails } from '../../ui/event-details.tsx'
import { spellCode } from '../../words.ts'

type StaffNames = ProofingDetail['staffNames']

/** Returns the name of an officer, or the end of the id if the account is gone. */
export function whoWord(who: string, names: StaffNames, { t, known }: Pick<Texts, 't' | 'known'>): string {
  if (!who.startsWith('STAFF:')) return known(`who.${who.toLowerCase()}`, spellCode(who))
  return names[who.slice('STAFF:'.length)] ?? t('who.staff', { id: who.slice(-8) })
}

export function Timeline({
  entries,
  names,
}: {
  readonly entries: readonly TimelineEntry[]
  readonly names: StaffNames
}) {
  const texts = useText()
  const { t, known } = texts
  return (
    <Card title={t('timeline.title')}>
      <ol class="timeline">
        {entries.map(({ seq, at, who, what, details }) => (
          <li key={seq}>
            <Time at={at} />{' '}
            <div>
              <p>
                {known(`event.${what}`, spellCode(what))}{' '}
                <span class="muted">· {whoWord(who, names, texts)}</span>
              </p>
              <EventDetails body={Object.fromEntries(details.map(({ name, value }) => [name, value]))} />
            </div>
          </li>
        ))}
      </ol>
    </Card>
  )
}
