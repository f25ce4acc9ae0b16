/** `/verify/`: sends an archive and keys to the service, and shows its report. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { VerificationReport } from '../../server/proof/verify.ts'
import { useAct } from '../counter/hooks.ts'
import { Button } from '../counter/ui/button.tsx'
import { FileField } from '../counter/ui/field.tsx'
import { Page } from '../counter/ui/page.tsx'
import { ProblemNotice } from '../counter/ui/problem.tsx'
import { keyring, verifyArchive } from './api.ts'
import { Frame } from './frame.tsx'
import { Report } from './report.tsx'
import { useFleetText } from './text.ts'

/** The parts of the form, as the service names them. */
type Part = 'archive' | 'keys' | 'ca' | 'tsaCa'
type Lack = 'archive' | 'keys'

export function VerifyPage() {
  const { t, formats } = useFleetText()
  const [files, setFiles] = useState<Readonly<Partial<Record<Part, File>>>>({})
  const [lack, setLack] = useState<Lack | null>(null)
  const [shown, setShown] = useState<{ report: VerificationReport; name: string } | null>(null)
  const key = keyring.get()
  const act = useAct()
  const form = useRef<HTMLFormElement>(null)
  const take = (part: Part) => (file: File | null) => {
    setFiles((before) => ({ ...before, [part]: file ?? undefined }))
    setLack(null)
  }
  const { archive } = files
  const verify = () => {
    setShown(null)
    const missing: Lack | null = !archive ? 'archive' : !key && !files.keys && !files.ca ? 'keys' : null
    setLack(missing)
    act.clear()
    if (missing) form.current?.querySelector<HTMLElement>(`#${missing}`)?.focus()
    if (missing || !archive) return
    const body = new FormData()
    for (const [part, file] of Object.entries(files)) if (file) body.append(part, file)
    void act.run(async () => setShown({ report: await verifyArchive(body, key), name: archive.name }))
  }
  useDropsRefused()
  return (
    <Frame page="verify" narrow who={key ? t('signed-in') : undefined}>
      <Page title={t('verify.title')} lead={t('verify.lead')}>
        <form
          class="card marked form"
          ref={form}
          onSubmit={(event) => {
            event.preventDefault()
            verify()
          }}
        >
          <DropPlace onFile={take('archive')}>
            <FileField
              id="archive"
              label={t('verify.archive')}
              hint={t('verify.archive-hint')}
              problem={lack === 'archive' ? t('verify.no-archive') : null}
              accept=".zip,application/zip,.multipart,.bin,.eml"
              onFile={take('archive')}
            />
          </DropPlace>
          <FileField
            id="keys"
            label={t('verify.keys')}
            hint={t(key ? 'verify.keys-own' : 'verify.keys-hint')}
            problem={lack === 'keys' ? t('verify.no-keys') : null}
            accept=".json,.pem,.crt,.cer,.jwks,application/json"
            onFile={take('keys')}
          />
          <details>
            <summary>{t('verify.certificates')}</summary>
            <div class="stack">
              <FileField label={t('verify.ca')} accept=".pem,.crt,.cer" onFile={take('ca')} />
              <FileField label={t('verify.tsa')} accept=".pem,.crt,.cer" onFile={take('tsaCa')} />
            </div>
          </details>
          <ProblemNotice problem={act.problem} />
          <Button kind="primary" type="submit" working={act.working}>
            {act.working && archive
              ? t('verify.reading', { size: formats.bytes(archive.size) })
              : t('verify.do')}
          </Button>
        </form>
        {shown && <Report {...shown} />}
      </Page>
    </Frame>
  )
}

/** Takes a file that is dropped here, and gives it to the field inside. */
function DropPlace({
  onFile,
  children,
}: {
  readonly onFile: (file: File) => void
  readonly children: ComponentChildren
}) {
  const [over, setOver] = useState(false)
  return (
    <div
      class={over ? 'drop drop-over' : 'drop'}
      id="drop"
      onDragOver={() => setOver(true)}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false)
        const [file] = event.dataTransfer?.files ?? []
        const input = event.currentTarget.querySelector('input')
        if (!file || !input) return
        const list = new DataTransfer()
        list.items.add(file)
        input.files = list.files
        onFile(file)
      }}
    >
      {children}
    </div>
  )
}

/** A file that is dropped elsewhere on the page would open in this tab. */
function useDropsRefused(): void {
  useEffect(() => {
    const refuse = (event: DragEvent) => event.preventDefault()
    for (const type of ['dragover', 'drop'] as const) document.addEventListener(type, refuse)
    return () => {
      for (const type of ['dragover', 'drop'] as const) document.removeEventListener(type, refuse)
    }
  }, [])
}
