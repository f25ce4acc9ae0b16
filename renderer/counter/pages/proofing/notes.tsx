/** The notes of adjudicators with their decisions. */
import type { EvidenceCard, ProofingDetail } from '../../../../server/counter/contract/today.ts'
import { useText } from '../../text.tsx'
import { Time } from '../../ui/time.tsx'
import { whoWord } from './timeline.tsx'

export function Notes({
  notes,
  names,
}: Pick<EvidenceCard, 'notes'> & { readonly names: ProofingDetail['staffNames'] }) {
  const texts = useText()
  const { t } = texts
  return (
    <details>
      <summary>{t('notes.title')}</summary>
      <ul class="plain-list">
        {notes.map(({ who, at, decision, note }) => (
          <li key={`${who}${at}`}>
            <Time at={at} />{' '}
            <span class="muted">
              · {whoWord(who, names, texts)} · {t(`value.${decision}`)}
            </span>
            <bdi class="block note-words">{note}</bdi>
          </li>
        ))}
      </ul>
    </details>
  )
}
