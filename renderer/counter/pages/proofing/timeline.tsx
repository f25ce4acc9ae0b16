/** Who did what, when: the events of the case in their order, in words. */
import type { TimelineEntry } from '../../../../server/counter/contract/today.ts'
import { useText } from '../../text.tsx'
import type { Texts } from '../../text.tsx'
import { Card } from '../../ui/card.tsx'
import { Time } from '../../ui/time.tsx'
import { EventDetails } from '../../ui/event-details.tsx'
import { spelled } from '../../words.ts'

export const whoWord = (who: string, { t, known }: Pick<Texts, 't' | 'known'>): string =>
  who.startsWith('STAFF:')
    ? t('who.staff', { id: who.slice(-8) })
    : known(`who.${who.toLowerCase()}`, spelled(who))

export function Timeline({ entries }: { readonly entries: readonly TimelineEntry[] }) {
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
                {known(`event.${what}`, spelled(what))} <span class="muted">· {whoWord(who, texts)}</span>
              </p>
              <EventDetails body={Object.fromEntries(details.map(({ name, value }) => [name, value]))} />
            </div>
          </li>
        ))}
      </ol>
    </Card>
  )
}
