/** A code with which a kiosk joins: shown once. */
import { useState } from 'preact/hooks'
import type { EnrolmentCode } from '../../server/central/head-office/contract.ts'
import { useAct } from '../counter/hooks.ts'
import { Button } from '../counter/ui/button.tsx'
import { Card } from '../counter/ui/card.tsx'
import { CopyButton } from '../counter/ui/copy-button.tsx'
import { Dialog } from '../counter/ui/dialog.tsx'
import { SelectField, TextField } from '../counter/ui/field.tsx'
import { ProblemNotice } from '../counter/ui/problem.tsx'
import type { FleetClient } from './api.ts'
import { useFleetText } from './text.ts'

export function EnrolmentCard({ client }: { readonly client: FleetClient }) {
  const { t } = useFleetText()
  const [name, setName] = useState('')
  const [hours, setHours] = useState<'1' | '24' | '168'>('24')
  const [made, setMade] = useState<EnrolmentCode | null>(null)
  const act = useAct()
  return (
    <Card title={t('enrol.title')}>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault()
          void act.run(async () => {
            setMade(await client.post<EnrolmentCode>('/enrolment-codes', { name, validHours: Number(hours) }))
            setName('')
          })
        }}
      >
        <TextField label={t('enrol.name')} value={name} maxLength={100} required onInput={setName} />
        <SelectField
          label={t('enrol.valid')}
          value={hours}
          choices={[
            { value: '1', label: t('enrol.hour') },
            { value: '24', label: t('enrol.day') },
            { value: '168', label: t('enrol.week') },
          ]}
          onChange={setHours}
        />
        <Button kind="primary" type="submit" working={act.working}>
          {t('enrol.make')}
        </Button>
      </form>
      <ProblemNotice problem={act.problem} />
      {made && <CodeDialog made={made} onClose={() => setMade(null)} />}
    </Card>
  )
}

function CodeDialog({ made, onClose }: { readonly made: EnrolmentCode; readonly onClose: () => void }) {
  const { t, formats } = useFleetText()
  // A line breaks between two groups, never inside one.
  const groups = made.code.split('-').map((group, at, all) => (at < all.length - 1 ? `${group}-` : group))
  return (
    <Dialog
      title={t('enrol.code-for', { kiosk: made.name })}
      onClose={onClose}
      footer={<CopyButton text={made.code} />}
    >
      <p>{t('enrol.code-text', { time: formats.dateTime(made.expiresAt) })}</p>
      <p class="big-code join-code" id="code" dir="ltr">
        {groups.map((group, at) => (
          <span key={at} class="mono">
            {group}
          </span>
        ))}
      </p>
    </Dialog>
  )
}
