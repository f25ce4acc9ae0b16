/** The findings of the checks, failures first; each with its measurement and the version of the method. */
import type { FindingView } from '../../../../server/counter/contract/today.ts'
import { useSession } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Table } from '../../ui/table.tsx'
import {
  checkWord,
  FINDING_TONE,
  measuredDigits,
  measuredText,
  measuresFor,
  measureWord,
} from '../../words.ts'

export function Findings({
  findings,
  isVerified,
}: {
  readonly findings: readonly FindingView[]
  /** The checks that did not pass decided nothing. */
  readonly isVerified: boolean
}) {
  const { t } = useText()
  if (findings.length === 0) return null
  const of = (outcome: FindingView['outcome']) => findings.filter((one) => one.outcome === outcome)
  const remarkable = [...of('failed'), ...of('inconclusive')]
  const passed = of('passed')
  return (
    <>
      {remarkable.length > 0 && (
        <details open={!isVerified && of('failed').length > 0}>
          <summary>
            {t(isVerified ? 'findings.not-met' : 'findings.remarkable', {
              failed: of('failed').length,
              open: of('inconclusive').length,
            })}
          </summary>
          <FindingTable findings={remarkable} isVerified={isVerified} />
        </details>
      )}
      {passed.length > 0 && (
        <details>
          <summary>{t('findings.passed', { count: passed.length })}</summary>
          <FindingTable findings={passed} isVerified={isVerified} />
        </details>
      )}
    </>
  )
}

function FindingTable({
  findings,
  isVerified,
}: {
  readonly findings: readonly FindingView[]
  readonly isVerified: boolean
}) {
  const texts = useText()
  const { t } = texts
  return (
    <Table
      caption={t('findings.caption')}
      rows={findings}
      getKey={(finding) => `${finding.check}${findings.indexOf(finding)}`}
      columns={[
        {
          key: 'check',
          label: t('findings.check'),
          head: true,
          cell: (finding) => (
            <>
              {checkWord(finding.check, texts)}
              {finding.mitigatedBy && (
                <small class="muted block">
                  {t('findings.outweighed', { check: checkWord(finding.mitigatedBy, texts) })}
                </small>
              )}
            </>
          ),
        },
        {
          key: 'outcome',
          label: t('findings.outcome'),
          tight: true,
          cell: ({ outcome }) =>
            isVerified && outcome === 'failed' ? (
              <Badge tone="quiet">{t('finding.not-met')}</Badge>
            ) : (
              <Badge tone={FINDING_TONE[outcome]}>{t(`finding.${outcome}`)}</Badge>
            ),
        },
        {
          key: 'measured',
          label: t('findings.measured'),
          cell: ({ measured, measuredBy }) => <Measured measured={measured} by={measuredBy} />,
        },
      ]}
    />
  )
}

function Measured({
  measured,
  by,
}: {
  readonly measured: FindingView['measured']
  readonly by: readonly string[]
}) {
  const texts = useText()
  const { formats } = texts
  const { can } = useSession()
  return (
    <span class="small">
      {measuresFor(measured, can).map(({ name, value }) => (
        <span key={name} class="block">
          {measureWord(name, texts)}{' '}
          <bdi>
            <b>
              {typeof value === 'number'
                ? formats.number(value, measuredDigits(value))
                : measuredText(value, texts)}
            </b>
          </bdi>
        </span>
      ))}
      {by.map((name) => (
        <span key={name} class="block muted" dir="ltr">
          {name}
        </span>
      ))}
    </span>
  )
}
