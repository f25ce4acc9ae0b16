/** The details of an event beside its type: pairs of name and value, each a list item for screen readers. */
import { eventDetails } from '../event-words.ts'
import { useText } from '../text.tsx'

export function EventDetails({ body }: { readonly body: Readonly<Record<string, unknown>> }) {
  const texts = useText()
  const details = eventDetails(body, texts)
  if (details.length === 0) return null
  return (
    <ul class="event-details">
      {details.map(({ name, value }) => (
        <li key={name}>
          <bdi>{texts.t('pair', { name, value })}</bdi>{' '}
        </li>
      ))}
    </ul>
  )
}
