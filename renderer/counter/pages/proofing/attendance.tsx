/** The observations of the officer who handled the document. */
import type { AttendanceView, ProofingDetail } from '../../../../server/counter/contract/today.ts'
import { useText } from '../../text.tsx'
import { Time } from '../../ui/time.tsx'
import { spellCode } from '../../words.ts'
import { whoWord } from './timeline.tsx'

export function Attendance({
  attendance,
  names,
}: {
  readonly attendance: AttendanceView
  readonly names: ProofingDetail['staffNames']
}) {
  const texts = useText()
  const { t, known } = texts
  return (
    <details>
      <summary>{t('attendance.title')}</summary>
      <p>
        <Time at={attendance.at} /> · <bdi>{whoWord(`STAFF:${attendance.staffId}`, names, texts)}</bdi>
      </p>
      {attendance.seen === 'IN_HAND' && <p>{t('attendance.in-hand')}</p>}
      <ul class="plain-list">
        {attendance.answers.map(({ feature, answer }) => (
          <li key={feature}>
            {t('pair', {
              name: known(`assist.feature.${feature}`, spellCode(feature)),
              value: known(`assist.handled.${answer}`, spellCode(answer)),
            })}
          </li>
        ))}
        {attendance.exceptions.map((exception) => (
          <li key={exception}>{known(`assist.exception.${exception}`, spellCode(exception))}</li>
        ))}
      </ul>
    </details>
  )
}
