/** Exports the log as a file of lines, the last one signed, for a span of days or completely. */
import { useState } from 'preact/hooks'
import type { AuditExport } from '../../../../server/counter/contract/audit.ts'
import { useAct } from '../../hooks.ts'
import { saveAs } from '../../save-as.ts'
import { useSession } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { useToast } from '../../ui/toast.tsx'

export function ExportDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useText()
  const { client } = useSession()
  const tell = useToast()
  const act = useAct()
  const [from, setFrom] = useState('')
  const [to, setTo] = useState('')
  const save = () =>
    act.run(async () => {
      const body: AuditExport = {
        from: from ? new Date(`${from}T00:00`).toISOString() : null,
        to: to ? new Date(`${to}T23:59:59.999`).toISOString() : null,
      }
      saveAs(await client.blob('audit/export', { method: 'POST', body }), 'audit.jsonl')
      tell(t('audit.exported'))
      onClose()
    })
  return (
    <ConfirmDialog
      title={t('audit.export')}
      confirm={t('audit.export.go')}
      act={act}
      onConfirm={() => void save()}
      onClose={onClose}
    >
      <div class="form">
        <p>{t('audit.export.text')}</p>
        <TextField label={t('filter.from')} type="date" value={from} onInput={setFrom} />
        <TextField label={t('filter.to')} type="date" value={to} onInput={setTo} />
      </div>
    </ConfirmDialog>
  )
}
