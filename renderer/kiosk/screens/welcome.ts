/**
 * Welcome and language. Drawings explain the visit, and each language has a button with its own word for
 * "Start", so that no foreign text has to be read. The sentences rotate through the languages; with calm or
 * reduced motion all are shown together.
 */
import { icon, picture } from '../../design/art.ts'
import type { PictureName } from '../../design/art.ts'
import { h } from '../../dom.ts'
import { getLanguage } from '../../locales/index.ts'
import type { Language, Translate } from '../../locales/index.ts'
import { loadLanguage } from '../languages.ts'
import { button, choices, fact, layout, row, setWorking } from '../layout.ts'
import type { Screen, ScreenContext } from '../screen-context.ts'

/**
 * The number of languages that fit at a glance; of more, the screen shows the first four and "More".
 */
const AT_A_GLANCE = 6
const FIRST = 4
/** Time to read two lines. */
const TURN_MS = 4000
/** The pictures of a visit: the document, the face, the end. */
const ACTS: readonly PictureName[] = ['hold', 'nearer', 'finish']

export const welcome: Screen = (context) => {
  const { state, t, acts, settings } = context
  const languages = (state.journey?.languages ?? []).map(getLanguage)
  const only = languages.length === 1
  const turns = createTurns(settings.calm)
  const buttons = languageButtons(context, languages)
  const element = layout({
    name: 'welcome',
    title: '',
    look: [drawings()],
    words: [turns.facts],
    hands: [
      choices(t('welcome.language'), [...buttons.values()], only ? '' : 'two'),
      languages.length > AT_A_GLANCE
        ? button('secondary', t('welcome.more'), () => acts.showLanguages(), { iconName: 'language' })
        : null,
      settingsRow(context),
    ],
  })
  const title = element.querySelector('h1')
  title?.append(turns.sentences)
  if (title) title.dataset.spoken = chooseSentence(context, state.language, t)
  turns.add(state.language, chooseSentence(context, state.language, t), drawFacts(context, state.language, t))

  let isOpen = true
  const addOthers = async () => {
    for (const language of languages) {
      // A language whose texts cannot be fetched now keeps its name and can still be chosen.
      const words = await loadLanguage(language.tag, state.journey?.texts[language.tag]).catch(() => null)
      if (!isOpen) return
      if (!words) continue
      const label = buttons.get(language.tag)?.querySelector('.label')
      if (!only) label?.prepend(h('span', { class: 'begin' }, words('welcome.begin')), ' ')
      if (language.tag === state.language.tag) continue
      turns.add(language, chooseSentence(context, language, words), drawFacts(context, language, words))
    }
    turns.begin()
    await tellOfCamera()
  }
  const tellOfCamera = async () => {
    const isAbsent = state.trouble === null && (await lacksCamera())
    // Sentences that stand together leave room for one such line: that of the page's language.
    for (const [at, facts] of turns.facts.querySelectorAll('.turn').entries()) {
      const isTold = isAbsent && (!turns.isStill || at === 0)
      facts.querySelector('.no-camera')?.toggleAttribute('hidden', !isTold)
      facts.querySelector('.duration')?.toggleAttribute('hidden', isTold)
    }
  }
  const cameraChanged = () => void tellOfCamera()
  mediaDevices?.addEventListener('devicechange', cameraChanged)
  void addOthers()
  return {
    element,
    update(next) {
      setWorking(element, next.working)
      return next.journey === state.journey
    },
    dispose() {
      isOpen = false
      mediaDevices?.removeEventListener('devicechange', cameraChanged)
      turns.dispose()
    },
  }
}

/** Chooses the tenant's own text for this screen, else the brand's, else the default. */
function chooseSentence({ state }: ScreenContext, { tag }: Language, words: Translate): string {
  const { texts = {}, brand = null } = state.journey ?? {}
  return texts[tag]?.['welcome.title'] ?? brand?.welcome[tag] ?? words('welcome.title')
}

function sayTime(minutes: number, words: Translate): string {
  return words('welcome.time', { time: words('welcome.minutes', { count: minutes }) })
}

/** The brand's greeting replaces the sentence, so the purpose of the machine is listed below. */
function drawFacts({ state, canSpeak }: ScreenContext, { tag }: Language, words: Translate): readonly Node[] {
  return [
    ...(state.journey?.brand ? [h('p', { class: 'lead' }, words('welcome.title'))] : []),
    ...(state.journey
      ? [h('div', { class: 'duration' }, fact('clock', sayTime(state.journey.minutes, words)))]
      : []),
    fact('document', words('welcome.need')),
    h('div', { class: 'no-camera', hidden: true }, fact('person', words('welcome.no-camera'))),
    ...(canSpeak(tag) ? [fact('headset', words('welcome.headset'))] : []),
  ]
}

/** Absent on a page without a secure context. */
const { mediaDevices } = navigator as { mediaDevices?: MediaDevices }

/** False where the browser does not tell: only a list without a camera shows that there is none. */
async function lacksCamera(): Promise<boolean> {
  const devices = await mediaDevices?.enumerateDevices().catch(() => undefined)
  return devices !== undefined && !devices.some(({ kind }) => kind === 'videoinput')
}

/** Shows one of several translations at a time. Screen readers get only the language of the page. */
function createTurns(isCalm: boolean) {
  const isStill = isCalm || matchMedia('(prefers-reduced-motion: reduce)').matches
  const sentences = h('span', { class: isStill ? 'turns is-still' : 'turns' })
  const facts = h('div', { class: isStill ? 'turns is-still' : 'turns' })
  let shown = 0
  let timer: ReturnType<typeof setInterval> | undefined
  const show = (index: number) => {
    shown = index
    for (const box of [sentences, facts])
      for (const [at, each] of [...box.children].entries()) each.classList.toggle('is-now', at === index)
  }
  return {
    isStill,
    sentences,
    facts,
    add({ tag, dir }: Language, sentence: string, lines: readonly Node[]) {
      const isFirst = sentences.childElementCount === 0
      const hidden = isFirst ? {} : { 'aria-hidden': 'true' }
      sentences.append(h('span', { lang: tag, dir, class: 'turn', ...hidden }, sentence))
      facts.append(h('div', { lang: tag, dir, class: 'turn', ...hidden }, ...lines))
      if (isFirst) show(0)
    },
    begin() {
      const count = sentences.childElementCount
      if (!isStill && count > 1) timer = setInterval(() => show((shown + 1) % count), TURN_MS)
    },
    dispose: () => clearInterval(timer),
  }
}

function drawings(): HTMLElement {
  const parts = ACTS.flatMap((name, at) => [
    ...(at === 0 ? [] : [h('li', { class: 'attract-next' }, icon('next'))]),
    h('li', { class: `attract-act attract-${at + 1}` }, picture(name)),
  ])
  return h('ol', { class: 'attract', 'aria-hidden': 'true' }, ...parts)
}

function languageButtons(
  { t, acts }: ScreenContext,
  languages: readonly Language[],
): ReadonlyMap<string, HTMLElement> {
  const only = languages.length === 1
  const shown = languages.length > AT_A_GLANCE ? languages.slice(0, FIRST) : languages
  return new Map(
    shown.map(({ tag, name, dir }) => {
      const label = only ? t('welcome.start', { language: name }) : ''
      const choice = button(only ? 'primary' : 'equal', label, () => acts.chooseLanguage(tag), {
        calls: true,
      })
      if (!only) {
        choice.lang = tag
        choice.dir = dir
        choice.querySelector('.label')?.append(h('span', { class: 'language-name' }, name))
      }
      return [tag, choice]
    }),
  )
}

/** Settings that an applicant may need before reading or reaching anything. */
function settingsRow({ t, settings, set }: ScreenContext): HTMLElement {
  const toggle = (key: 'lowerButtons' | 'highContrast', text: string, iconName: 'lower' | 'contrast') => {
    const element = button('secondary', text, () => set({ [key]: !settings[key] }), { iconName })
    element.setAttribute('aria-pressed', String(settings[key]))
    return element
  }
  return row(
    toggle('lowerButtons', t('welcome.lower'), 'lower'),
    toggle('highContrast', t('welcome.contrast'), 'contrast'),
  )
}
