/// <reference types="vite/client" />
/** The gallery's page: draws one scene at a time, in the real frame, with the real screens, from a scripted state. */
import { createFrame } from '../../../renderer/kiosk/frame.ts'
import type { Frame } from '../../../renderer/kiosk/frame.ts'
import { DEFAULTS, applyScale, applySettings } from '../../../renderer/kiosk/display.ts'
import { createFormats } from '../../../renderer/kiosk/formats.ts'
import { watchKeys } from '../../../renderer/kiosk/keys.ts'
import { watchPaging } from '../../../renderer/kiosk/paging.ts'
import type { DisplaySettings, ScreenContext, ScreenView } from '../../../renderer/kiosk/screen-context.ts'
import { fetchScreens, SCREENS } from '../../../renderer/kiosk/screens/index.ts'
import { readParts, toSentences } from '../../../renderer/kiosk/speech-text.ts'
import { CAPTURE } from '../../../renderer/locales/capture.ts'
import english from '../../../renderer/locales/en.json' with { type: 'json' }
import { LANGUAGES, getLanguage, loadTexts } from '../../../renderer/locales/index.ts'
import type { TextKey } from '../../../renderer/locales/index.ts'
import { KIOSK } from '../../../renderer/locales/kiosk.ts'
import { definePretendedCameras } from './pretended-cameras.ts'
import { SCENES, SURROUND_OF } from './scenes.ts'
import type { Say, Scene } from './scenes.ts'

export interface Look {
  readonly language?: string
  /** Before there is a file for a language: English words from right to left. */
  readonly dir?: 'ltr' | 'rtl'
  readonly settings?: Partial<DisplaySettings>
  readonly diagonalInch?: number
}

declare global {
  interface Window {
    sceneNames: readonly string[]
    languageTags: readonly string[]
    showScene: (name: string, look?: Look) => Promise<void>
    /** The spoken text of the scene for a headset, one entry per sentence. */
    transcript: (language: string) => Promise<readonly string[]>
    /** Says a sentence on the scene that stands, then continues to another one's screen, as the machine does. */
    sayAndGoOn: (sentence: string, next: string) => void
  }
}

let frame: Frame | null = null
let view: ScreenView | null = null

async function showScene(name: string, look: Look = {}): Promise<void> {
  const scene: Scene | undefined = SCENES[name]
  if (!scene) throw new TypeError(`no scene of this name: ${name}`)
  await fetchScreens()
  const root = document.documentElement
  view?.dispose?.()
  // A new element for each scene, with its observers.
  const app = document.createElement('kiosk-app')
  document.body.replaceChildren(app)
  const tag = look.language ?? 'en'
  const language = { ...getLanguage(tag), ...(look.dir ? { dir: look.dir } : {}) }
  const t = await loadTexts(KIOSK, tag)
  const settings: DisplaySettings = { ...DEFAULTS, calm: true, ...look.settings, ...scene.settings }
  root.lang = tag
  root.dir = language.dir
  root.dataset.surround = SURROUND_OF[scene.state.screen] ?? 'paper'
  applySettings(settings)
  applyScale(look.diagonalInch ?? 27)
  const nothing = () => undefined
  frame = createFrame(t, {
    help: nothing,
    sound: nothing,
    display: nothing,
    language: nothing,
    stop: nothing,
  })
  app.replaceChildren(frame.element)
  watchPaging(app, t)
  const state = { ...scene.state, language }
  const acts = new Proxy({}, { get: () => nothing }) as ScreenContext['acts']
  const context: ScreenContext = {
    state,
    acts,
    ask: scene.ask,
    t,
    formats: createFormats(tag),
    settings,
    canSpeak: () => true,
    announce: (sentence) => frame?.announce(sentence),
    active: nothing,
    tone: nothing,
    set: nothing,
    now: scene.clock ?? (() => performance.now()),
  }
  frame.update(state)
  view = SCREENS[state.screen](context)
  frame.main.replaceChildren(view.element)
  await settle()
  const say = await sayIn(tag)
  for (const act of scene.then ?? []) {
    act(frame.main, say)
    await settle()
  }
  if (scene.over) {
    let now = settings
    const set = (change: Partial<DisplaySettings>) => applySettings((now = { ...now, ...change }))
    scene.over({ t, state, settings: () => now, set })
    await settle()
  }
  await document.fonts.ready
  await allCrops()
}

/** The lines of a document come one by one: on a picture of the screen they are there. */
async function allCrops(): Promise<void> {
  const missing = () =>
    [...document.querySelectorAll<HTMLElement>('.crop:not([hidden])')].some(
      (crop) => crop.querySelector('img')?.complete !== true,
    )
  for (let tries = 0; tries < 20 && missing(); tries++) await settle()
}

/** The scenes name buttons and guidance by their English words; each language has its own for the same key. */
async function sayIn(tag: string): Promise<Say> {
  const [kiosk, capture] = await Promise.all([loadTexts(KIOSK, tag), loadTexts(CAPTURE, tag)])
  return (text) => [
    ...keysOf(english.kiosk, text).map((key) => kiosk(key as TextKey)),
    ...keysOf(english.capture, text).map((key) => capture(key as TextKey<'capture'>)),
    text,
  ]
}

function keysOf(section: Readonly<Record<string, string>>, text: string): string[] {
  return Object.keys(section).filter((key) => section[key] === text)
}

async function settle(): Promise<void> {
  await new Promise((done) => setTimeout(done))
  // Pages are cut again in the next animation frame.
  for (let frames = 0; frames < 2; frames++) await new Promise(requestAnimationFrame)
}

definePretendedCameras()
watchKeys({ scanning: () => false, help: () => undefined, repeat: () => undefined })
window.sceneNames = Object.keys(SCENES)
window.languageTags = LANGUAGES.map(({ tag }) => tag)
window.showScene = showScene
window.transcript = async (language) => {
  const shown = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body
  return toSentences(readParts(shown), await loadTexts(KIOSK, language), { headset: true })
}
window.sayAndGoOn = (sentence, next) => {
  const scene = SCENES[next]
  if (!scene || !frame) throw new TypeError(`no scene of this name: ${next}`)
  frame.announce(sentence)
  frame.update({ ...scene.state, language: getLanguage(document.documentElement.lang) })
}
