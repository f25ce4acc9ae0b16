/**
 * One document of the settings: a form if its shape is simple, the whole file as text, and the earlier
 * versions. The server checks the input during typing; only saving puts it into force.
 */
import { useEffect, useState } from 'preact/hooks'
import type {
  ChangeBody,
  CheckBody,
  CheckView,
  SettingName,
  SettingView,
} from '../../../../server/counter/contract/settings.ts'
import type { SessionView } from '../../../../server/counter/contract/staff.ts'
import { refreshBrand } from '../../brand.ts'
import { useAct, useResource } from '../../hooks.ts'
import { goTo, guardLeaving, linkTo } from '../../route.ts'
import { useClient, useSession } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Notice } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, Skeleton } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { useToast } from '../../ui/toast.tsx'
import { FORMS, nextVersion, type Content } from './forms.tsx'
import { InWords } from './in-words.tsx'
import { Outcome } from './outcome.tsx'
import { Versions } from './versions.tsx'

type Tab = 'form' | 'text' | 'versions'
/** Length of a pause in typing. */
const CHECK_AFTER_MS = 400

export function SettingPage({ name, tab }: { readonly name: SettingName; readonly tab: string | undefined }) {
  const { t } = useText()
  const { client, take: takeSession } = useSession()
  const setting = useResource<SettingView>((signal) => client.get(`settings/${name}`, signal), name)
  const { data, problem, reload } = setting
  const hasForm = name in FORMS
  const tabs: readonly Tab[] = hasForm ? ['form', 'text', 'versions'] : ['text', 'versions']
  const current = tabs.find((one) => one === tab) ?? tabs[0] ?? 'text'
  const [draft, setDraft] = useState<Content | null>(null)
  useUnsaved(draft !== null, name)
  const take = (view: SettingView): void => {
    setting.replace(view)
    setDraft(null)
    if (name === 'brand') void refreshBrand()
    // The header and the receipt name the organisation of these settings.
    if (name === 'brand' || name === 'journey') {
      void client.get<SessionView>('session').then(takeSession, () => undefined)
    }
  }
  return (
    <Page
      title={t(`setting.${name}`)}
      lead={t(`settings.about.${name}`)}
      back={<a href={linkTo('settings')}>{t('nav.settings')}</a>}
    >
      <ProblemNotice problem={problem} onRetry={reload} />
      {!data && !problem && <Skeleton rows={8} />}
      {data?.heldBy && <Notice tone="attention" title={t('settings.held')} />}
      {data && (
        <Tabs<Tab>
          label={t(`setting.${name}`)}
          current={current}
          tabs={tabs.map((key) => ({
            key,
            label: t(`settings.tab.${key}`),
            ...(key === 'versions' && data.versions.length > 0 ? { count: data.versions.length } : {}),
          }))}
          onChange={(key) => goTo(`settings/${name}/${key}`)}
        >
          {current === 'versions' ? (
            <Versions name={name} view={data} onUndone={take} />
          ) : (
            <Editor
              key={current}
              name={name}
              view={data}
              asText={current === 'text'}
              draft={draft}
              onDraft={setDraft}
              onSaved={take}
            />
          )}
        </Tabs>
      )}
    </Page>
  )
}

/** Asks before an unsaved change is lost: by a link, by the history, or by closing the tab. */
function useUnsaved(isUnsaved: boolean, name: SettingName): void {
  const { t } = useText()
  useEffect(() => {
    if (!isUnsaved) return
    const release = guardLeaving(
      ({ page, rest }) => (page === 'settings' && rest[0] === name) || confirm(t('settings.unsaved')),
    )
    const close = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', close)
    return () => {
      release()
      removeEventListener('beforeunload', close)
    }
  }, [isUnsaved, name])
}

function Editor({
  name,
  view,
  asText,
  draft,
  onDraft,
  onSaved,
}: {
  readonly name: SettingName
  readonly view: SettingView
  readonly asText: boolean
  readonly draft: Content | null
  readonly onDraft: (draft: Content | null) => void
  readonly onSaved: (view: SettingView) => void
}) {
  const { t } = useText()
  const client = useClient()
  const tell = useToast()
  const act = useAct()
  const inForce = (view.content ?? {}) as Content
  const content = draft ?? inForce
  const [text, setText] = useState(() => JSON.stringify(content, null, 2))
  const [isBroken, setBroken] = useState(false)
  const [checked, setChecked] = useState<CheckView | null>(null)
  // Parse the text first: invalid JSON is reported without a call.
  const type = (typed: string): void => {
    setText(typed)
    try {
      onDraft(JSON.parse(typed) as Content)
      setBroken(false)
    } catch {
      setBroken(true)
    }
  }
  useEffect(() => {
    setChecked(null)
    if (draft === null || isBroken) return
    const aborter = new AbortController()
    const timer = setTimeout(() => {
      const body: CheckBody = { content: draft as CheckBody['content'] }
      client
        .send<CheckView>('POST', `settings/${name}/check`, { body, signal: aborter.signal })
        .then(setChecked, () => undefined)
    }, CHECK_AFTER_MS)
    return () => {
      clearTimeout(timer)
      aborter.abort()
    }
  }, [draft, isBroken])
  const Form = FORMS[name]
  const problems = checked?.findings.filter(({ severity }) => severity === 'problem') ?? []
  const isReady =
    draft !== null && !isBroken && checked !== null && problems.length === 0 && checked.changes.length > 0
  const save = () =>
    act.run(async () => {
      const body = { content: draft, basedOn: view.state } as ChangeBody
      const saved = await client.send<SettingView>('PUT', `settings/${name}`, { body })
      tell(t('settings.saved'), { tone: 'done' })
      onSaved(saved)
      setText(JSON.stringify(saved.content, null, 2))
    })
  const discard = () => {
    onDraft(null)
    setBroken(false)
    setText(JSON.stringify(inForce, null, 2))
  }
  return (
    <form
      class="form settings-editor"
      onSubmit={(event) => {
        event.preventDefault()
        if (isReady) void save()
      }}
    >
      {asText || !Form ? (
        <div class="field">
          <label for="setting-text">{t('settings.text')}</label>
          <p class="hint">{t('settings.text.hint', { file: view.file })}</p>
          <textarea
            id="setting-text"
            class="input settings-text"
            dir="ltr"
            spellcheck={false}
            rows={24}
            value={text}
            aria-invalid={isBroken ? true : undefined}
            onInput={(event) => type(event.currentTarget.value)}
          />
          <InWords content={content} />
        </div>
      ) : (
        <Form
          content={content}
          view={view}
          findings={checked?.findings ?? []}
          onChange={(next) => onDraft(nextVersion(name, inForce, next))}
        />
      )}
      <Outcome isBroken={isBroken} isChanged={draft !== null} checked={checked} />
      <ProblemNotice problem={act.problem} />
      <Card title={t('settings.take')}>
        <p class="muted">{t('settings.effect')}</p>
        <div class="buttons">
          <Button
            kind="primary"
            type="submit"
            icon="done"
            working={act.working}
            disabled={!isReady || view.heldBy !== null}
          >
            {t('settings.save')}
          </Button>
          <Button disabled={draft === null && !isBroken} onClick={discard}>
            {t('settings.discard')}
          </Button>
        </div>
      </Card>
    </form>
  )
}
