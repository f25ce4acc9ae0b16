/** The service's report on an archive. Its sentences on problems are English: the verifier's own. */
import { useEffect, useRef } from 'preact/hooks'
import type { VerificationReport } from '../../server/proof/verify.ts'
import { Notice } from '../counter/ui/badge.tsx'
import { Facts } from '../counter/ui/card.tsx'
import { Icon } from '../counter/ui/icon.tsx'
import { Mono } from '../counter/ui/time.tsx'
import { useFleetText } from './text.ts'

export function Report({ report, name }: { readonly report: VerificationReport; readonly name: string }) {
  const { t, formats } = useFleetText()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [report])
  return (
    <section
      class={`card report report-${report.valid ? 'done' : 'problem'}`}
      id="result"
      aria-labelledby="result-title"
    >
      <h2 id="result-title" tabIndex={-1} ref={heading}>
        <Icon name={report.valid ? 'done' : 'octagon'} size={24} />
        {t(report.valid ? 'report.valid' : 'report.invalid')}
      </h2>
      {report.valid ? (
        <>
          {report.test && <Notice tone="attention" title={t('report.test')} />}
          <Facts
            facts={[
              [t('report.level'), report.levelOfAssurance],
              [t('report.sealed'), formats.dateTime(report.sealedAt)],
              [t('report.files'), report.files],
              [t('report.file'), <bdi key="file">{name}</bdi>],
              [
                t('report.proof'),
                <Mono key="proof" breaks>
                  {report.proofId}
                </Mono>,
              ],
              [
                t('report.identity'),
                <Mono key="identity" breaks>
                  {report.identityId}
                </Mono>,
              ],
              [
                t('report.signed-by'),
                <Mono key="key" breaks>
                  {report.signedBy}
                </Mono>,
              ],
              report.certificate && [t('report.certificate'), report.certificate.subject],
              report.timestamp && [
                t('report.timestamp'),
                `${formats.dateTime(report.timestamp.time)}, ${report.timestamp.authority}`,
              ],
              report.notes.length > 0 && [
                t('report.notes'),
                <ul key="notes" class="plain-list" lang="en" dir="ltr">
                  {report.notes.map((note) => (
                    <li key={note}>{note}</li>
                  ))}
                </ul>,
              ],
            ]}
          />
        </>
      ) : (
        <>
          <p class="muted">
            <bdi>{name}</bdi>
          </p>
          <ul class="problems" lang="en" dir="ltr">
            {report.problems.map(({ code, message }, at) => (
              <li key={at}>
                {message}
                <small class="block muted mono mono-breaks">{code}</small>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}
