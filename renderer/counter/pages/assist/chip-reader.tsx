/** The chip of a document, read by the counter's reader: place, hold still, again, and the number of a card that does not open. */
import { useRef, useState } from 'preact/hooks'
import type { AssistEvidence, AssistView, ChipBody } from '../../../../server/counter/contract/assist.ts'
import { useAct } from '../../hooks.ts'
import { useClient } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Notice } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Meter } from '../../ui/meter.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import type { VisitProps } from './step-props.ts'

type Chip = NonNullable<AssistEvidence['chip']>

/** A reading runs, and its state changes within the second. */
export const isReading = (chip: Chip | null): boolean =>
  ['WAITING', 'READING', 'LOST'].includes(chip?.reading?.state ?? '')

export function ChipReader({
  view,
  evidence: { evidenceId, status },
  chip,
  onView,
}: Pick<VisitProps, 'view' | 'onView'> & { readonly evidence: AssistEvidence; readonly chip: Chip }) {
  const { t } = useText()
  const client = useClient()
  const act = useAct()
  const { reading, isOver, documentType } = chip
  const part = useRef<HTMLElement>(null)
  const begin = (can: string | null) =>
    act.run(async () => {
      const body: ChipBody = { evidenceId, can }
      onView(await client.send<AssistView>('POST', `assist/${view.visitId}/chip`, { body }))
      // The control that was used is gone, and the focus must not begin at the top again.
      part.current?.focus()
    })
  const isIdle = !isReading(chip) && !isOver && status !== 'PROCESSING'
  const isRefused = reading?.state === 'KEY_REFUSED'
  return (
    <section ref={part} class="assist-chip" aria-label={t('chip.title')} tabIndex={-1}>
      <div role="status">
        {isOver && <Notice tone="done" title={t('assist.chip.read')} />}
        {!isOver && <State chip={chip} />}
      </div>
      {reading && (reading.state === 'READING' || reading.state === 'LOST') && (
        <Meter share={reading.progress} label={t('assist.chip.progress')} />
      )}
      <ProblemNotice problem={act.problem} />
      {isIdle && (
        <div class="buttons">
          <Button
            icon={reading ? 'retry' : 'document'}
            working={act.working}
            onClick={() => void begin(null)}
          >
            {t(reading ? 'assist.chip.again' : 'assist.chip.begin')}
          </Button>
        </div>
      )}
      {isIdle && isRefused && documentType !== 'PASSPORT' && (
        <CardNumber working={act.working} onSend={(can) => void begin(can)} />
      )}
    </section>
  )
}

function State({ chip: { reading } }: { readonly chip: Chip }) {
  const { t, known } = useText()
  if (!reading) return null
  const { state, fault } = reading
  // A chip that was read to the end without being opened gave nothing.
  const code = state === 'ENDED' ? 'FAILED' : state
  const why = fault === null ? '' : known(`assist.chip.fault.${fault}`, t('assist.chip.fault.no_reader'))
  // A reader at fault takes no document.
  if (code === 'WAITING' && why !== '') return <Notice tone="attention" title={why} />
  const isCalm = code === 'WAITING' || code === 'READING'
  return (
    <Notice tone={isCalm ? 'waiting' : 'attention'} title={t(`assist.chip.${code}`)}>
      {why === '' ? null : <p>{why}</p>}
    </Notice>
  )
}

/** BSI TR-03110-2, 3.3: six digits on the front of a card. */
function CardNumber({
  working,
  onSend,
}: {
  readonly working: boolean
  readonly onSend: (can: string) => void
}) {
  const { t } = useText()
  const [can, setCan] = useState('')
  return (
    <form
      class="form form-grid"
      onSubmit={(event) => {
        event.preventDefault()
        onSend(can)
      }}
    >
      <TextField
        label={t('assist.chip.number')}
        hint={t('assist.chip.number.hint')}
        dir="ltr"
        maxLength={6}
        value={can}
        onInput={(value) => setCan(value.replace(/\D/g, ''))}
      />
      <div class="form-wide">
        <Button type="submit" working={working} disabled={can.length !== 6}>
          {t('assist.chip.open')}
        </Button>
      </div>
    </form>
  )
}
