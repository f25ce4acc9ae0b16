/**
 * The document before the camera: the picture is not mirrored, one line of advice is under it, and the
 * shutter works immediately. The capture element measures, captures and sends; this screen shows its
 * messages.
 */
import type { DocumentCaptureElement, DocumentSide, OtherKindDetail } from '../../capture/index.ts'
import { icon, picture } from '../../design/art.ts'
import { h } from '../../dom.ts'
import { DOCUMENT_FILES } from '../../file-types.ts'
import { button, choices, fileButton, layout, row } from '../layout.ts'
import type { Screen, ScreenContext, ScreenView } from '../screen-context.ts'
import { cameraPatience } from './camera-patience.ts'
import type { Patience } from './camera-patience.ts'
import { cameraProblemPage, problemText } from './camera-problem.ts'
import { nameOfType } from './document-words.ts'
import type { DocumentType } from './document-words.ts'
import { createGuidanceLine } from './guidance-line.ts'
import { presentStep } from './present-step.ts'
import { createStage } from './stage.ts'
import { surround } from './surround.ts'
import { waitSteps } from './wait-steps.ts'
import type { WaitSteps } from './wait-steps.ts'

/** A session that ended by itself is opened again this often before the applicant is asked. */
const REOPENED_AT_MOST = 2
/**
 * After this many unusable photos the screen offers an officer; it equals the number of photos that may be
 * submitted.
 */
const REFUSED_AT_MOST = 3
/** Time to read "Front done". */
const DONE_MS = 1200
const SIDES: readonly DocumentSide[] = ['FRONT', 'BACK']
/** While these codes are shown, the applicant has not turned the document. */
const NOT_TURNED: readonly string[] = [
  '',
  'NO_DOC',
  'FACE',
  'WRONG_SIDE',
  'FRONT_AGAIN',
  'BACK_AGAIN',
  'CHANGE',
  'TAKEN',
  'LOOKING',
]

export const documentCapture: Screen = (context): ScreenView => {
  const stage = createStage('capture')
  const capture = new DocumentCapturePage(context, stage)
  capture.live()
  return {
    element: stage.element,
    update(next) {
      stage.working(next.working)
      if (next.trouble === null) capture.online()
      return true
    },
    dispose() {
      capture.dispose()
      stage.dispose()
    },
  }
}

class DocumentCapturePage {
  readonly #context: ScreenContext
  readonly #stage: ReturnType<typeof createStage>
  readonly #camera = document.createElement('document-capture') as DocumentCaptureElement
  readonly #line: ReturnType<typeof createGuidanceLine>
  readonly #help = h('div', { class: 'capture-help' })
  readonly #waits: WaitSteps
  readonly #sides = h('ul', { class: 'sides' })
  readonly #kind = h('p', { class: 'chosen' })
  /** The documents that are accepted, until one is recognised or chosen. */
  readonly #kinds = h('p', {})
  readonly #shutter: HTMLButtonElement
  readonly #ways: HTMLElement
  readonly #person: HTMLElement
  #doneSides: readonly string[] = []
  #side: string
  /** The side after the one that was captured last. */
  #next: DocumentSide | null = null
  #reopened = 0
  #isOpen = true
  #isUnopened = false
  #tipsShown = false
  #isRefused = false
  #refusals = 0
  #patience: Patience | null = null
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(context: ScreenContext, stage: ReturnType<typeof createStage>) {
    this.#context = context
    this.#stage = stage
    const { t, acts } = context
    this.#line = createGuidanceLine(
      { ...context, note: (code) => acts.note('GUIDANCE', `DOCUMENT_${code}`) },
      t('camera.starting'),
    )
    this.#shutter = button('equal', t('document.take'), () => void this.#camera.takePhoto(), {
      iconName: 'camera',
      id: 'take-photo',
    })
    this.#waits = waitSteps(context)
    this.#ways = this.#waysOut()
    this.#person = button(
      'secondary',
      t('person.finish'),
      () => acts.skip({ step: 'document', person: true }),
      {
        iconName: 'person',
        calls: true,
      },
    )
    this.#person.hidden = true
    this.#side = this.#knownSides()[0] ?? 'FRONT'
    this.#prepareCamera()
  }

  live(): void {
    const { t } = this.#context
    surround('ink')
    this.#line.say(t('camera.starting'))
    this.#kinds.textContent = t('document.kinds')
    this.#drawKind(this.#step()?.choice?.documentType ?? null)
    this.#drawSides()
    const live = layout({
      name: 'document',
      title: t('document.title'),
      words: [h('div', { class: 'capture-facts' }, this.#kind, this.#sides), this.#kinds],
      look: [this.#camera, this.#line.element],
      // Messages appear above the buttons: with the tips, the buttons would be out of reach for a seated
      // applicant.
      hands: [this.#waits.element, this.#help, this.#shutter, this.#hint(), this.#ways, this.#person],
    })
    this.#patience = this.#waitsForCamera(live)
    this.#stage.show({ element: this.#patience.element, shown: () => void this.#begin() })
  }

  /** The network is back: opens a session that could not be opened. */
  online(): void {
    if (this.#isUnopened) this.#openAgain()
  }

  #openAgain(): void {
    this.#line.say(this.#context.t('camera.starting'))
    if (this.#help.contains(document.activeElement)) this.#shutter.focus()
    this.#help.replaceChildren()
    void this.#begin()
  }

  dispose(): void {
    this.#isOpen = false
    clearTimeout(this.#timer)
    this.#waits.hide()
    this.#patience?.dispose()
    this.#camera.stop()
  }

  #prepareCamera(): void {
    const { t, acts, tone, settings } = this.#context
    const camera = this.#camera
    camera.setAttribute('controls', 'none')
    camera.setAttribute('lang', this.#context.state.language.tag)
    camera.calm = settings.calm
    camera.refusedBefore = this.#step()?.state === 'AGAIN'
    camera.addEventListener('guidance', ({ detail }) => {
      this.#line.show(detail)
      this.#drawWait(detail.code)
      const isTurned = this.#doneSides.length > 0 && !NOT_TURNED.includes(detail.code)
      // The advice about the last photo ends once the next photo will be good.
      if (isTurned || (this.#isRefused && detail.code === 'READY')) this.#tell(null)
    })
    camera.addEventListener('camera-ready', () => {
      this.#waits.done('camera')
      if (this.#line.code === '') this.#line.say(t('starting.text'))
    })
    camera.addEventListener('ladder', ({ detail }) => {
      const comesFirst = detail.manualHighlighted || detail.manualFirst
      this.#shutter.classList.toggle('button-primary', comesFirst)
      this.#shutter.classList.toggle('button-equal', !comesFirst)
      if (detail.showTips && !this.#tipsShown) this.#tips()
      else if (detail.manualHighlighted && this.#help.childElementCount === 0) this.#tip()
    })
    camera.addEventListener('side-captured', ({ detail }) => {
      tone('got-it')
      this.#doneSides = [...this.#doneSides, detail.side]
      this.#next = detail.next
      if (detail.documentType) this.#drawKind(detail.documentType)
      this.#drawSides()
      this.#tell(
        h('img', { class: 'still', src: detail.stillUrl, alt: t('document.photo') }),
        t(`side.${detail.side}.done`),
      )
    })
    camera.addEventListener('side-wanted', ({ detail: { side } }) => {
      this.#side = side
      this.#drawSides()
      if (this.#doneSides.length === 0) return
      this.#timer = setTimeout(() => {
        if (this.#isOpen) this.#tell(picture('flip'), t('side.turn'))
      }, DONE_MS)
    })
    camera.addEventListener('photo-refused', ({ detail: { why } }) => {
      if (!this.#isOpen) return
      const isAgain = why === 'FRONT_AGAIN' || why === 'BACK_AGAIN'
      const words = why === 'UNCLEAR' ? t('document.refused') : t(`document.refused.${why}`)
      this.#tell(picture(isAgain ? 'flip' : why === 'UNCLEAR' ? 'open' : 'hold'), words)
      this.#isRefused = true
      this.#refusals += 1
      if (this.#refusals >= REFUSED_AT_MOST) this.#person.hidden = false
    })
    camera.addEventListener('side-other', (event) => {
      event.preventDefault()
      this.#askAboutOther(event.detail)
    })
    camera.addEventListener('captured', () => acts.captured())
    camera.addEventListener('session-over', ({ detail: { reason, mayRetry } }) => {
      if (reason === 'left' || !this.#isOpen) return
      this.#reopened += 1
      this.#doneSides = []
      if (reason === 'refused') this.#tell(picture('open'), t('document.refused'))
      if (mayRetry && this.#reopened <= REOPENED_AT_MOST) void this.#begin()
      else acts.captured()
    })
  }

  async #begin(): Promise<void> {
    this.#isUnopened = false
    this.#waits.show({ camera: 'DOING', ready: 'DOING', photo: 'TODO' })
    try {
      // The screen is inserted into the page after this constructor, and a camera starts only in the page.
      await Promise.resolve()
      if (!this.#isOpen) return
      this.#camera.session = ''
      // Start the camera and the session together: both take time.
      await Promise.all([
        this.#camera.start(),
        this.#context.ask.openDocumentCapture().then(({ sessionId }) => {
          this.#waits.done('ready')
          if (this.#isOpen) this.#camera.session = sessionId
        }),
      ])
    } catch {
      // The frame says why (offline, elsewhere); this screen offers another try.
      if (!this.#isOpen) return
      this.#camera.stop()
      this.#waits.hide()
      this.#isUnopened = true
      const { t } = this.#context
      this.#line.say(t('capture.not-open'), 'attention')
      const again = button('primary', t('resting.again'), () => this.#openAgain(), { iconName: 'retry' })
      this.#help.replaceChildren(again)
    }
  }

  #waitsForCamera(live: HTMLElement): Patience {
    const { t, acts, announce } = this.#context
    return cameraPatience({
      camera: this.#camera,
      live,
      stopped: (problem) => {
        const text = problemText(this.#context, problem)
        acts.note('FAULT', `CAMERA_${problem.toUpperCase()}`)
        this.#tell(null)
        this.#line.say(text, 'attention')
        announce(text)
      },
      back: () => this.#line.say(t('starting.text')),
      page: (problem, again) =>
        cameraProblemPage(this.#context, problem, {
          step: 'document',
          uploadAllowed: this.#step()?.uploadAllowed === true,
          again,
        }),
    })
  }

  /** Shows which document is wanted, or was recognised. */
  #drawKind(type: DocumentType | null): void {
    this.#kind.hidden = type === null
    this.#kinds.hidden = type !== null
    if (type === null) return
    this.#kind.replaceChildren(icon('document'), h('span', {}, this.#context.t(nameOfType(type))))
  }

  /**
   * Asks about a document of another kind than the chosen one; if it is used, the appliance recognises its
   * kind.
   */
  #askAboutOther({ documentType, decide }: OtherKindDetail): void {
    const { t, acts } = this.#context
    const kind = documentType ? t(nameOfType(documentType)) : t('choice.other.title')
    const question = t('document.is-other', { kind })
    const use = button('equal', t('document.use'), () => acts.letDocumentTell(), { calls: true })
    const another = button('equal', t('document.not-this'), () => {
      this.#setAsking(false)
      decide(false)
    })
    this.#line.say(question, 'attention')
    this.#setAsking(true)
    this.#help.replaceChildren(choices(question, [use, another], 'two'))
    this.#context.announce(question)
    use.focus({ preventScroll: true })
  }

  /** A question hides the other controls of the hand zone. */
  #setAsking(isAsking: boolean): void {
    this.#shutter.hidden = isAsking
    this.#ways.hidden = isAsking
    this.#tell(null)
  }

  #drawSides(): void {
    const { t } = this.#context
    const sides = this.#knownSides()
    this.#sides.hidden = sides.length < 2
    if (this.#doneSides.length > 0) this.#kinds.hidden = true
    this.#sides.replaceChildren(
      ...sides.map((side) => {
        const isDone = this.#doneSides.includes(side)
        const isNow = !isDone && side === this.#side
        return h(
          'li',
          { class: isDone ? 'is-done' : isNow ? 'is-now' : '', ...(isNow ? { 'aria-current': 'step' } : {}) },
          icon(isDone ? 'done' : 'todo'),
          h('span', {}, t(isDone ? `side.${side}.done` : `side.${side}`)),
        )
      }),
    )
  }

  /** Shows a drawing with its sentence beside the shutter; null clears it. */
  #tell(what: Node | null, text = ''): void {
    clearTimeout(this.#timer)
    this.#waits.hide()
    this.#isRefused = false
    this.#help.replaceChildren(...(what ? [what, h('p', {}, text)] : []))
    if (what && text) this.#context.announce(text)
  }

  #tip(): void {
    this.#tell(picture('flat'), this.#context.t('document.tip.flat'))
  }

  /** Shows how to hold the document, while there is no other advice. */
  #hint(): HTMLElement {
    return h(
      'div',
      { class: 'capture-hint' },
      picture('edges'),
      h('p', {}, this.#context.t('document.tip.edges')),
    )
  }

  /** Shows the steps while the appliance examines a photo. */
  #drawWait(code: string): void {
    if (code === 'LOOKING') this.#waits.show({ photo: 'DONE', kind: 'DOING', data: 'TODO' })
    else if (code === 'SENDING') this.#waits.show({ kind: 'DONE', sending: 'DOING', data: 'TODO' })
    else this.#waits.hide()
  }

  /** Shows three tips in place of the buttons; the camera above continues. */
  #tips(): void {
    this.#tipsShown = true
    // After a long time without a good picture, offer an officer.
    this.#person.hidden = false
    const { t } = this.#context
    // The tip about reflections would contradict "More light needed".
    const names = (['light', 'flat', 'edges'] as const).filter(
      (name) => name !== 'light' || this.#line.code !== 'DARK',
    )
    const tips = names.map((name) => h('li', {}, picture(name), h('span', {}, t(`document.tip.${name}`))))
    this.#help.replaceChildren(h('ul', { class: 'tips' }, ...tips))
    // Announce the specific advice before the general tips.
    const first = this.#line.element.textContent.trim()
    this.#context.announce([first, ...names.map((name) => t(`document.tip.${name}`))].join('. '))
  }

  #waysOut(): HTMLElement {
    const { t, acts } = this.#context
    const upload = this.#step()?.uploadAllowed === true
    return row(
      button('secondary', t('document.tips'), () => this.#tips(), { iconName: 'note' }),
      upload
        ? fileButton(t('document.file'), (file) => void this.#camera.sendFile(file), DOCUMENT_FILES)
        : null,
      button(
        'secondary',
        t(this.#step()?.choice ? 'document.other' : 'document.choose'),
        () => acts.otherDocument(),
        { iconName: 'document', id: 'choose-document', calls: true },
      ),
    )
  }

  /** The sides captured so far of a document whose kind the appliance recognises. */
  #knownSides(): readonly DocumentSide[] {
    const { choice } = this.#step() ?? {}
    if (choice) return choice.sides
    return this.#next ? SIDES.filter((side) => side === this.#next || this.#doneSides.includes(side)) : []
  }

  #step() {
    return presentStep(this.#context.state, 'document')
  }
}
