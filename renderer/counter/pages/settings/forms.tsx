/** Forms of the documents with a simple shape. Each changes the content; saving is elsewhere. */
import { useState } from 'preact/hooks'
import type { JSX } from 'preact'
import type {
  SettingFinding,
  SettingName,
  SettingView,
} from '../../../../server/counter/contract/settings.ts'
import { useText } from '../../text.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { SelectField, TextArea, TextField } from '../../ui/field.tsx'
import { ownSentence } from './finding-words.ts'
import { valueWords } from './place-words.ts'

export type Content = Readonly<Record<string, unknown>>

interface FormProps {
  readonly content: Content
  readonly view: SettingView
  readonly findings: readonly SettingFinding[]
  readonly onChange: (content: Content) => void
}

export const FORMS: Readonly<Partial<Record<SettingName, (props: FormProps) => JSX.Element>>> = {
  journey: JourneyForm,
  brand: BrandForm,
  messages: MessagesForm,
}

/** Records name a journey by its version: the form increases it with the first change. */
export function nextVersion(name: SettingName, inForce: Content, next: Content): Content {
  return name === 'journey' ? { ...next, version: Number(inForce.version) + 1 } : next
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : '')
const toTree = (value: unknown): Content =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Content) : {}
/** An empty input removes the member from the file. */
function withText(tree: Content, member: string, text: string): Content {
  const { [member]: before, ...rest } = tree
  return text === '' && before !== undefined ? rest : text === '' ? tree : { ...tree, [member]: text }
}
function hoursIn({ openingHours }: Content, tag: string): string {
  return toText(typeof openingHours === 'string' ? openingHours : toTree(openingHours)[tag])
}
/** One text where all languages have the same, else a text for each language that has one. */
function withHours(receipt: Content, languages: readonly string[], tag: string, text: string): Content {
  const rest = Object.fromEntries(Object.entries(receipt).filter(([name]) => name !== 'openingHours'))
  const texts = languages.map((one) => [one, one === tag ? text : hoursIn(receipt, one)] as const)
  const written = texts.filter(([, hours]) => hours !== '')
  if (written.length === 0) return rest
  const isOne = texts.every(([, hours]) => hours === text)
  return { ...rest, openingHours: isOne ? text : Object.fromEntries(written) }
}
/** The text as the kiosk shows it, with examples in place of the names in braces. */
function showExample(text: string, { organisation }: Content): string {
  const examples: Readonly<Record<string, string>> = {
    organisation: toText(organisation) || '…',
    count: '2',
    digits: '6',
  }
  return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => examples[name] ?? '…')
}
/** Returns the problem of one field, in the reader's language if there is a text for it. */
function useProblems(findings: readonly SettingFinding[]): (field: string) => string | null {
  const texts = useText()
  return (field) => {
    const found = findings.find((one) => one.severity === 'problem' && one.field === field)
    return found ? (ownSentence(found, texts) ?? found.message) : null
  }
}

function JourneyForm({ content, view, findings, onChange }: FormProps) {
  const problemAt = useProblems(findings)
  const { t, formats } = useText()
  const receipt = toTree(content.receipt)
  const languages = (Array.isArray(content.languages) ? content.languages : []).filter(
    (tag): tag is string => typeof tag === 'string',
  )
  const [language, setLanguage] = useState(languages[0] ?? 'en')
  const [key, setKey] = useState('')
  const all = toTree(content.texts)
  const own = toTree(all[language])
  const setTexts = (texts: Content) => {
    const others = Object.fromEntries(Object.entries(all).filter(([tag]) => tag !== language))
    onChange({
      ...content,
      texts: Object.keys(texts).length === 0 ? others : { ...others, [language]: texts },
    })
  }
  const keys = Object.keys(view.texts)
  const found = keys.filter(
    (one) =>
      own[one] === undefined &&
      key.length > 1 &&
      `${one} ${view.texts[one] ?? ''}`.toLowerCase().includes(key.toLowerCase()),
  )
  return (
    <>
      <StepsOfVisit content={content} />
      <TextField
        label={t('settings.journey.organisation')}
        hint={t('settings.journey.organisation.hint')}
        maxLength={80}
        dir="auto"
        value={toText(content.organisation)}
        problem={problemAt('organisation')}
        onInput={(text) => onChange(withText(content, 'organisation', text))}
      />
      {languages.map((tag) => (
        <TextArea
          key={tag}
          label={`${t('settings.journey.hours')} · ${formats.language(tag)}`}
          hint={t('settings.journey.hours.hint')}
          maxLength={200}
          value={hoursIn(receipt, tag)}
          problem={problemAt('receipt.openingHours') ?? problemAt(`receipt.openingHours.${tag}`)}
          onInput={(text) => onChange({ ...content, receipt: withHours(receipt, languages, tag, text) })}
        />
      ))}
      <Card title={t('settings.journey.texts')}>
        <SelectField
          label={t('settings.journey.language')}
          value={language}
          choices={languages.map((tag) => ({ value: tag, label: formats.language(tag) }))}
          onChange={setLanguage}
        />
        {Object.entries(own).map(([name, text]) => (
          <div key={name} class="settings-own-text">
            <TextArea
              label={view.texts[name] ?? name}
              hint={
                <>
                  {t('settings.journey.own.hint')} <bdi class="mono">{name}</bdi>
                </>
              }
              maxLength={600}
              value={toText(text)}
              problem={problemAt(`texts.${language}.${name}`)}
              onInput={(typed) => setTexts({ ...own, [name]: typed })}
            />
            <p>
              <span class="muted">{t('settings.messages.preview')}</span>{' '}
              <bdi lang={language}>{showExample(toText(text), content)}</bdi>
            </p>
            <Button
              icon="retry"
              label={t('settings.journey.ours-of', { text: view.texts[name] ?? name })}
              onClick={() =>
                setTexts(Object.fromEntries(Object.entries(own).filter(([one]) => one !== name)))
              }
            >
              {t('settings.journey.ours')}
            </Button>
          </div>
        ))}
        <TextField
          label={t('settings.journey.find')}
          hint={t('settings.journey.find.hint')}
          type="search"
          value={key}
          onInput={setKey}
        />
        <ul class="plain-list">
          {found.slice(0, 8).map((name) => (
            <li key={name} class="settings-found">
              <Button
                icon="next"
                label={t('settings.journey.replace-of', { text: view.texts[name] ?? name })}
                onClick={() => setTexts({ ...own, [name]: view.texts[name] ?? '' })}
              >
                {t('settings.journey.replace')}
              </Button>{' '}
              <bdi lang="en">{view.texts[name]}</bdi> <bdi class="mono small muted">{name}</bdi>
            </li>
          ))}
        </ul>
        {found.length > 8 && <p class="muted">{t('settings.journey.more', { count: found.length - 8 })}</p>}
      </Card>
    </>
  )
}

/** Shows the steps of a visit in words. They are changed in the file below. */
function StepsOfVisit({ content }: Pick<FormProps, 'content'>) {
  const texts = useText()
  const { t, known } = texts
  const steps = (Array.isArray(content.steps) ? content.steps : []).map(toTree)
  const isSaid = ([name, value]: readonly [string, unknown]) =>
    name !== 'kind' && !(Array.isArray(value) && value.length === 0)
  return (
    <Card title={t('settings.journey.steps')}>
      <ol>
        {steps.map((step, at) => {
          const details = Object.fromEntries(Object.entries(step).filter(isSaid))
          const kind = toText(step.kind)
          return (
            <li key={at}>
              <b>{known(`step.${kind}`, kind)}</b>{' '}
              {Object.keys(details).length > 0 && <span class="muted">{valueWords('', details, texts)}</span>}
            </li>
          )
        })}
      </ol>
      <p class="hint">{t('settings.journey.steps.hint')}</p>
    </Card>
  )
}

const NO_COLOURS = { action: '#0b5c63', band: '#14202b' }

function BrandForm({ content, view, findings, onChange }: FormProps) {
  const problemAt = useProblems(findings)
  const { t, formats } = useText()
  const colours = { ...NO_COLOURS, ...toTree(content.colours) }
  const welcome = toTree(content.welcome)
  const change = (more: Content) => onChange({ colours, welcome, ...content, ...more })
  const kind = toText(content.logo).endsWith('.png') ? 'image/png' : 'image/svg+xml'
  const logo = useLogo(toText(content.logoData), kind)
  const choose = async (file: File | undefined): Promise<void> => {
    if (!file) return
    const bytes = new Uint8Array(await file.arrayBuffer())
    change({ logo: file.type === 'image/png' ? 'logo.png' : 'logo.svg', logoData: inBase64(bytes) })
  }
  return (
    <>
      <TextField
        label={t('settings.brand.name')}
        maxLength={60}
        dir="auto"
        value={toText(content.name)}
        problem={problemAt('name')}
        onInput={(name) => change({ name })}
      />
      {(['action', 'band'] as const).map((which) => (
        <div class="field" key={which}>
          <label for={`colour-${which}`}>{t(`settings.brand.${which}`)}</label>
          <p class="hint">{t(`settings.brand.${which}.hint`)}</p>
          <input
            id={`colour-${which}`}
            type="color"
            class="input settings-colour"
            value={toText(colours[which])}
            onInput={(event) => change({ colours: { ...colours, [which]: event.currentTarget.value } })}
          />
        </div>
      ))}
      <div class="field">
        <label for="logo-file">{t('settings.brand.logo')}</label>
        <p class="hint">{t('settings.brand.logo.hint')}</p>
        <input
          id="logo-file"
          type="file"
          accept="image/svg+xml,image/png"
          onChange={(event) => void choose(event.currentTarget.files?.[0])}
        />
        {logo && <img class="settings-logo" src={logo} alt={t('settings.brand.logo')} />}
      </div>
      {view.languages.map((tag) => (
        <TextField
          key={tag}
          label={t('settings.brand.welcome', { language: formats.language(tag) })}
          maxLength={90}
          dir="auto"
          value={toText(welcome[tag])}
          // A field that is still empty is told below, and is not red while another one is typed.
          problem={welcome[tag] === undefined ? null : problemAt(`welcome.${tag}`)}
          onInput={(text) => change({ welcome: withText(welcome, tag, text) })}
        />
      ))}
    </>
  )
}

/** A blob URL for the logo: the page's policy forbids `data:` addresses. */
function useLogo(data: string, type: string): string | null {
  const [made, setMade] = useState<{ readonly of: string; readonly url: string | null }>({
    of: '',
    url: null,
  })
  if (made.of !== data) {
    if (made.url) URL.revokeObjectURL(made.url)
    setMade({
      of: data,
      url: data === '' ? null : URL.createObjectURL(new Blob([fromBase64(data)], { type })),
    })
  }
  return made.url
}

function inBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
}

function MessagesForm({ content, findings, onChange }: FormProps) {
  const problemAt = useProblems(findings)
  const { t, formats } = useText()
  const texts = Object.entries(content).map(([tag, text]) => [tag, toText(toTree(text).passcode)] as const)
  return (
    <>
      {texts.map(([tag, passcode]) => (
        <div key={tag}>
          <TextArea
            label={`${t('settings.messages.passcode')} (${formats.language(tag)})`}
            hint={t('settings.messages.passcode.hint', { slot: '{code}' })}
            maxLength={160}
            value={passcode}
            problem={problemAt(`${tag}.passcode`)}
            onInput={(text) => onChange({ ...content, [tag]: { passcode: text } })}
          />
          <p>
            <span class="muted">{t('settings.messages.preview')}</span>{' '}
            <bdi>{passcode.replace('{code}', '123456')}</bdi>
          </p>
        </div>
      ))}
    </>
  )
}
