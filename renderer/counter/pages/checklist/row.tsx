/**
 * One row: its state as a word and a shape, a sentence that explains it, the last test, and the row's act.
 */
import { useEffect, useState } from 'preact/hooks'
import type { ChecklistName, ChecklistRow } from '../../../../server/counter/contract/checklist.ts'
import { useAct, useNow } from '../../hooks.ts'
import { useLevelName } from '../../levels.tsx'
import { linkTo } from '../../route.ts'
import { useClient } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { Time } from '../../ui/time.tsx'
import { spellCode } from '../../words.ts'
import { CameraTest } from './camera-test.tsx'
import { PrinterTest } from './printer-test.tsx'
import { VoiceTest } from './voice-test.tsx'

const LOOKS = {
  WORKS: { tone: 'done', icon: undefined },
  PROBLEM: { tone: 'problem', icon: undefined },
  NOT_SET_UP: { tone: 'quiet', icon: 'other' },
  NOT_KNOWN: { tone: 'quiet', icon: 'help' },
} as const

/** Tests that the administrator carries out in a dialog. */
const DIALOGS = { 'face-camera': CameraTest, voice: VoiceTest, printer: PrinterTest } as const
type DialogName = keyof typeof DIALOGS
const isDialog = (name: ChecklistName): name is DialogName => Object.hasOwn(DIALOGS, name)

/** Tests of the computer on which the browser runs. */
const IN_BROWSER: readonly ChecklistName[] = ['face-camera', 'voice', 'printer']

const LINKS: Readonly<
  Partial<Record<ChecklistName, 'staff' | 'sync' | 'devices' | 'settings/brand' | 'settings/policy'>>
> = {
  organisation: 'settings/brand',
  staff: 'staff',
  'head-office': 'sync',
  policy: 'devices',
}

export function Row({
  row,
  languages,
  onRow,
}: {
  readonly row: ChecklistRow
  readonly languages: readonly string[]
  readonly onRow: (row: ChecklistRow) => void
}) {
  const { t, known, formats } = useText()
  const client = useClient()
  const act = useAct()
  const named = useLevelName()
  const [open, setOpen] = useState(false)
  const { name, word, lacks, lastTest, progress } = row
  const title = t(`checklist.row.${name}`)
  const link = LINKS[name]
  const run = (path: string) =>
    act.run(async () => onRow(await client.send<ChecklistRow>('POST', `checklist/${path}`)))
  const Dialog = isDialog(name) ? DIALOGS[name] : null
  // The slots of the policy are levels.
  const slots =
    name === 'policy'
      ? Object.fromEntries(
          Object.entries(row.slots).map(([slot, value]) => [slot, slot === 'title' ? value : named(value)]),
        )
      : row.slots
  const roles = formats.list(lacks.map((role) => known(`role.${role}`, spellCode(role))))
  return (
    <li class={`checklist-row tile-${LOOKS[word].tone}`}>
      <div class="checklist-words">
        <div class="tile-head">
          <h2 class="tile-title">{title}</h2>
          <Badge tone={LOOKS[word].tone} icon={LOOKS[word].icon}>
            {t(`part-word.${word}`)}
          </Badge>
        </div>
        <p>{known(`checklist.${name}.${word}`, t(`part-word.${word}`), { ...slots, roles })}</p>
        {name === 'voice' && lacks.length > 0 && (
          <p>
            {t('checklist.voice.lacks', {
              languages: formats.list(lacks.map((tag) => formats.language(tag))),
            })}
          </p>
        )}
        {lastTest && (
          <p class="muted small">
            {t(lastTest.passed ? 'checklist.last.passed' : 'checklist.last.failed')} <Time at={lastTest.at} />
            {IN_BROWSER.includes(name) &&
              ` · ${t(lastTest.here ? 'checklist.last.here' : 'checklist.last.elsewhere')}`}
            {lastTest.found !== null &&
              ` · ${known(`checklist.found.${lastTest.found}`, spellCode(lastTest.found))}`}
          </p>
        )}
        {name === 'backup' && row.slots.at && (
          <p class="muted small">
            <Time at={row.slots.at} />
          </p>
        )}
        <ProblemNotice problem={act.problem} />
        {progress !== null && <BackupSteps row={row} />}
        {row.hasPicture && <TestPicture at={lastTest?.at ?? ''} />}
      </div>
      <div class="buttons">
        {Dialog && (
          <Button icon="retry" label={t('checklist.test-of', { part: title })} onClick={() => setOpen(true)}>
            {t('checklist.test')}
          </Button>
        )}
        {name === 'document-camera' && word !== 'NOT_SET_UP' && (
          <Button
            icon="retry"
            working={act.working}
            label={t('checklist.test-of', { part: title })}
            onClick={() => void run('tests/document-camera')}
          >
            {t('checklist.test')}
          </Button>
        )}
        {name === 'backup' && word !== 'NOT_SET_UP' && (
          <Button icon="copy" working={act.working || progress !== null} onClick={() => void run('backup')}>
            {t('checklist.backup.now')}
          </Button>
        )}
        {link && (
          <LinkButton href={linkTo(link)} icon="next">
            {t(`checklist.go.${link}`)}
          </LinkButton>
        )}
      </div>
      {open && Dialog && <Dialog languages={languages} onRow={onRow} onClose={() => setOpen(false)} />}
    </li>
  )
}

const STEPS = ['DATA', 'KEYS', 'RESTORE_TEST'] as const

/** Shows which steps are done, and the time since the backup started. */
function BackupSteps({ row: { progress, progressSince } }: { readonly row: ChecklistRow }) {
  const { t } = useText()
  const client = useClient()
  useNow(1_000)
  const at = STEPS.findIndex((step) => step === progress)
  const seconds = Math.max(0, Math.round((client.now() - Date.parse(progressSince ?? '')) / 1000))
  return (
    <div role="status">
      <p>
        {t('checklist.backup.steps')} <span class="muted">{t('checklist.backup.seconds', { seconds })}</span>
      </p>
      <ol class="checklist-steps">
        {STEPS.map((step, index) => (
          <li key={step} aria-current={index === at ? 'step' : undefined}>
            <Icon name={index < at ? 'done' : index === at ? 'waiting' : 'todo'} size={16} />
            <span>{t(`checklist.backup.step.${step}`)}</span>
          </li>
        ))}
      </ol>
    </div>
  )
}

/** Shows the picture of the document camera. The server keeps it for a few minutes. */
function TestPicture({ at }: { readonly at: string }) {
  const { t } = useText()
  const client = useClient()
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    const aborter = new AbortController()
    let made: string | null = null
    client.blob('checklist/pictures/document-camera', { signal: aborter.signal, background: true }).then(
      (picture) => {
        made = URL.createObjectURL(picture)
        setUrl(made)
      },
      () => setUrl(null),
    )
    return () => {
      aborter.abort()
      if (made) URL.revokeObjectURL(made)
    }
  }, [at])
  return url && <img class="checklist-picture" src={url} alt={t('checklist.picture')} />
}
