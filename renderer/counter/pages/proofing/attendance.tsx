/** What the member of staff noted who had the document in hand. */
import type { AttendanceView } from '../../../../server/counter/contract/today.ts'
import { useText } from '../../text.tsx'
import { Mono, Time } from '../../ui/time.tsx'
import { spelled } from '../../words.ts'

export function Attendance({ attendance }: { readonly attendance: AttendanceView }) {
  const { t, known } = useText()
  return (
    <details>
      <summary>{t('attendance.title')}</summary>
      <p>
        <Time at={attendance.at} /> · <Mono>{attendance.staffId}</Mono>
      </p>
      {attendance.seen === 'IN_HAND' && <p>{t('attendance.in-hand')}</p>}
      <ul class="plain-list">
        {attendance.answers.map(({ feature, answer }) => (
          <li key={feature}>
            {t('pair', {
              name: known(`assist.feature.${feature}`, spelled(feature)),
              value: known(`assist.handled.${answer}`, spelled(answer)),
            })}
          </li>
        ))}
        {attendance.exceptions.map((exception) => (
          <li key={exception}>{known(`assist.exception.${exception}`, spelled(exception))}</li>
        ))}
      </ul>
    </details>
  )
}
