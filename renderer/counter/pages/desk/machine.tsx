/**
 * The measurements of the machine: drawn only after the adjudicator's answers are sent, because the server
 * withholds them until then.
 */
import type { MachineView } from '../../../../server/counter/contract/desk.ts'
import type { FindingView } from '../../../../server/counter/contract/today.ts'
import { useSession } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Badge } from '../../ui/badge.tsx'
import type { Tone } from '../../ui/badge.tsx'
import {
  checkWord,
  FINDING_TONE,
  indicatorWord,
  isPictureQuality,
  measuredDigits,
  measuredText,
  measuresFor,
  measureWord,
} from '../../words.ts'

const SHOWN: readonly (readonly [keyof MachineView['indicators'], Tone])[] = [
  ['blocking', 'problem'],
  ['warning', 'attention'],
  ['unverified', 'waiting'],
  ['positive', 'done'],
]

export function Machine({ machine }: { readonly machine: MachineView }) {
  const texts = useText()
  const { t } = texts
  return (
    <section class="machine" aria-labelledby="machine-title">
      <h3 id="machine-title">{t('desk.machine.title')}</h3>
      <p class="muted small">{t('desk.machine.text')}</p>
      {SHOWN.map(([kind, tone]) => {
        const names = machine.indicators[kind].filter((name) => !isPictureQuality(name))
        if (names.length === 0) return null
        const list = (
          <ul class="plain-list small">
            {names.map((name) => (
              <li key={name}>{indicatorWord(name, texts)}</li>
            ))}
          </ul>
        )
        const head = <Badge tone={tone}>{t(`desk.machine.${kind}`, { count: names.length })}</Badge>
        return kind === 'positive' ? (
          <details key={kind}>
            <summary>{head}</summary>
            {list}
          </details>
        ) : (
          <div key={kind} class="stack-tight">
            {head}
            {list}
          </div>
        )
      })}
      <PictureQuality indicators={machine.indicators} />
      <Measured findings={machine.findings} />
    </section>
  )
}

/** How good the pictures are says nothing for or against the document. */
function PictureQuality({ indicators }: Pick<MachineView, 'indicators'>) {
  const texts = useText()
  const names = SHOWN.flatMap(([kind]) => indicators[kind].filter(isPictureQuality))
  if (names.length === 0) return null
  return (
    <details>
      <summary>{texts.t('desk.machine.quality')}</summary>
      <ul class="plain-list small">
        {names.map((name) => (
          <li key={name}>{indicatorWord(name, texts)}</li>
        ))}
      </ul>
    </details>
  )
}

/** Lists the checks that did not pass with their figures; a table has no room beside the pictures. */
function Measured({ findings }: { readonly findings: readonly FindingView[] }) {
  const texts = useText()
  const { t, formats } = texts
  const { can } = useSession()
  const remarkable = findings.filter(({ outcome }) => outcome !== 'passed')
  if (remarkable.length === 0) return null
  return (
    <details>
      <summary>{t('findings.measured')}</summary>
      <ul class="plain-list small measured">
        {remarkable.map(({ check, outcome, measured, measuredBy }, at) => (
          <li key={`${check}${at}`}>
            <b>{checkWord(check, texts)}</b>{' '}
            <Badge tone={FINDING_TONE[outcome]}>{t(`finding.${outcome}`)}</Badge>
            <span class="block muted">
              {measuresFor(measured, can)
                .map(
                  ({ name, value }) =>
                    `${measureWord(name, texts)} ${typeof value === 'number' ? formats.number(value, measuredDigits(value)) : measuredText(value, texts)}`,
                )
                .concat(measuredBy)
                .join(' · ')}
            </span>
          </li>
        ))}
      </ul>
    </details>
  )
}
