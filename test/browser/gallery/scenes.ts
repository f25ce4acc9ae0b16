/** Every screen in every state that applicants may see: scripted states, invented persons of Utopia. */
import type {
  AddressStep,
  CheckField,
  ChipStep,
  CountryView,
  DetailsCheck,
  DocumentStep,
  JourneyView,
  PhoneStep,
  PortraitStep,
  QrCode,
  StepView,
  VisitView,
} from '../../../server/kiosk/contract/index.ts'
import type { DisplaySettings, Questions, ScreenState } from '../../../renderer/kiosk/screen-context.ts'
import { OVERLAYS } from './overlay-scenes.ts'
import type { Over } from './overlay-scenes.ts'

/** Translations of an English text in the page's language; several if one English text has several. */
export type Say = (english: string) => readonly string[]
type Act = (root: HTMLElement, say: Say) => void

export interface Scene {
  readonly state: Omit<ScreenState, 'language'>
  readonly ask: Questions
  readonly settings?: Partial<DisplaySettings>
  /** Done one after the other once the screen stands. */
  readonly then?: readonly Act[]
  /** Opened over the screen at last. */
  readonly over?: Over
  readonly clock?: () => number
}

/** The themes that app.ts sets. */
export const SURROUND_OF: Readonly<Partial<Record<ScreenState['screen'], string>>> = {
  document: 'ink',
  portrait: 'light',
}

const STEPS = ['consent', 'document', 'check', 'portrait', 'result'] as const

const JOURNEY: JourneyView = {
  id: 'default',
  version: 1,
  organisation: 'Example Bank',
  brand: null,
  languages: ['en', 'fr', 'ar', 'es', 'de'],
  texts: {},
  idleSeconds: { welcome: 30, reading: 90, capture: 60, result: 60, goodbye: 8, warning: 30 },
  receipt: { print: true, openingHours: 'Monday to Friday, 9:00–17:00' },
  mode: 'production',
  display: { diagonalInch: 27, camera: { edge: 'top', atPercent: 50 } },
  kiosk: 'Kiosk 1',
  minutes: 5,
  ownWindow: false,
}

const COUNTRIES: readonly CountryView[] = (
  [
    ['FRA', 'FR', true],
    ['DEU', 'DE', true],
    ['ESP', 'ES', true],
    ['MAR', 'MA', true],
    ['DZA', 'DZ', false],
    ['BIH', 'BA', false],
    ['GBR', 'GB', false],
    ['ITA', 'IT', false],
    ['PRT', 'PT', false],
    ['USA', 'US', false],
    ['UTO', 'XX', false],
  ] as const
).map(([iso3, iso2, first]) => ({
  iso3,
  iso2,
  name: iso3 === 'UTO' ? 'Utopia' : null,
  first,
  documents: ['PASSPORT', 'IDENTITY_CARD', 'DRIVING_LICENSE', 'RESIDENT_CARD', 'TAX_CARD'] as const,
}))

const PRINTED: Readonly<Partial<Record<CheckField['name'], string>>> = {
  name: 'SAMPLE  ANNA MARIA',
  givenNames: 'ANNA MARIA',
  familyName: 'SAMPLE',
  birthDate: '05 JUL 1964',
  documentNumber: 'L898902C42',
  expiryDate: '31 JAN 2031',
  issuingCountry: 'UTO',
}

/** The line of a document as a picture, drawn here. */
async function fetchCrop(name: CheckField['name']): Promise<Blob> {
  const canvas = new OffscreenCanvas(640, 72)
  const context = canvas.getContext('2d')
  if (context) {
    context.fillStyle = '#e4dfd0'
    context.fillRect(0, 0, 640, 72)
    context.fillStyle = '#2a333b'
    context.direction = 'ltr'
    context.font = '600 38px serif'
    context.fillText(PRINTED[name] ?? '', 18, 50)
  }
  return canvas.convertToBlob({ type: 'image/png' })
}

const ASK: Questions = {
  countries: async () => COUNTRIES,
  openDocumentCapture: async () => ({
    sessionId: 'scene',
    sides: ['FRONT', 'BACK'],
    expiresAt: '2026-11-21T12:00:00Z',
  }),
  openPortraitCapture: async () => ({ sessionId: 'scene', sides: [], expiresAt: '2026-11-21T12:00:00Z' }),
  fetchCrop,
  checkDetails: async () => ({ problems: [] }),
}
const unusual = (problem: DetailsCheck['problems'][number]['problem'], field: 'cardNumber' | 'postcode') => ({
  ...ASK,
  checkDetails: async () => ({ problems: [{ field, problem }] }),
})
const never = <T>() => new Promise<T>(() => undefined)
const broken = async () => Promise.reject(new Error('offline'))

function outer(
  screen: 'starting' | 'resting' | 'welcome' | 'goodbye',
  more: Partial<Scene['state']> = {},
): Scene {
  return {
    state: {
      screen,
      journey: JOURNEY,
      visit: null,
      working: false,
      parting: 'finished',
      trouble: null,
      ...more,
    },
    ask: ASK,
  }
}

type StepKind = VisitView['position']['steps'][number]

/** A journey that has this step too: a login stands after the consent, a phone and the waiting before the result. */
function stepsWith(kind: StepKind): readonly StepKind[] {
  if ((STEPS as readonly string[]).includes(kind)) return STEPS
  const at = kind === 'trusted-login' ? 1 : kind === 'chip' ? 3 : -1
  return [...STEPS.slice(0, at), kind, ...STEPS.slice(at)]
}

function visitOf(step: StepView, more: Partial<VisitView> = {}): VisitView {
  const steps = stepsWith(step.kind)
  return {
    reference: '7K4P-2M9X',
    language: 'en',
    position: {
      steps,
      index: step.kind === 'waiting' ? steps.length - 1 : steps.indexOf(step.kind),
      undone: [],
    },
    step,
    notice: null,
    help: { asked: false, seen: true, answer: null, minutes: null },
    takenOver: false,
    ...more,
  }
}

function at(
  step: StepView,
  more: Partial<Scene> & { visit?: Partial<VisitView>; state?: never } = {},
): Scene {
  const { visit, ...scene } = more
  return {
    state: {
      screen: step.kind,
      journey: JOURNEY,
      visit: visitOf(step, visit),
      working: false,
      parting: 'finished',
      trouble: null,
    },
    ask: ASK,
    ...scene,
  }
}
const withTrouble = (scene: Scene, trouble: ScreenState['trouble']): Scene => ({
  ...scene,
  state: { ...scene.state, trouble },
})
const working = (scene: Scene): Scene => ({ ...scene, state: { ...scene.state, working: true } })

const press =
  (text: string): Act =>
  (root, say) => {
    const names = say(text)
    const button = [...root.querySelectorAll('button')].find(({ textContent }) =>
      names.some((name) => textContent.startsWith(name)),
    )
    if (!button) throw new TypeError(`no button “${names.join('” or “')}”`)
    button.click()
  }
/** The key for more letters and for signs, so often. */
const keyPage = (times: number): Act[] =>
  Array.from({ length: times }, () => (root) => root.querySelector<HTMLElement>('.key-page')?.click())
const typeInto = (selector: string, text: string) => (root: HTMLElement) => {
  const field = root.querySelector<HTMLInputElement>(selector)
  if (!field) throw new TypeError(`no field ${selector}`)
  field.value = text
  field.dispatchEvent(new Event('input', { bubbles: true }))
}
/** Null if everything fits on one page. */
const nextPage = (root: HTMLElement) => root.querySelector<HTMLElement>('.pager .button-equal')?.click()
const tell = (name: string, detail: unknown) => (root: HTMLElement) => {
  root.querySelector('document-capture, portrait-capture')?.dispatchEvent(new CustomEvent(name, { detail }))
}
const guidance =
  (code: string, english: string, icon: string, tone = 'do'): Act =>
  (root, say) => {
    const [text = english] = say(english)
    tell('guidance', { code, text, spoken: text, icon, tone })(root)
  }

const qr: QrCode = { rows: drawnCode(29) }
/** Looks like a code; opens nothing. */
function drawnCode(size: number): string[] {
  const finder = (x: number, y: number) => {
    for (const [fx, fy] of [
      [0, 0],
      [size - 7, 0],
      [0, size - 7],
    ] as const) {
      const [dx, dy] = [x - fx, y - fy]
      if (dx < -1 || dy < -1 || dx > 7 || dy > 7) continue
      const ring = Math.max(Math.abs(dx - 3), Math.abs(dy - 3))
      return ring === 3 || ring < 2
    }
    return null
  }
  return Array.from({ length: size }, (_, y) =>
    Array.from({ length: size }, (__, x) =>
      (finder(x, y) ?? (x * 7 + y * 11 + x * y * 3) % 5 < 2) ? '1' : '0',
    ).join(''),
  )
}

const DOCUMENT: DocumentStep = {
  kind: 'document',
  state: 'CHOOSE',
  choice: null,
  guidance: [],
  guidanceField: null,
  left: 5,
  uploadAllowed: true,
  fileWanted: 'FRONT',
}
const CARD = { country: 'UTO', documentType: 'IDENTITY_CARD', sides: ['FRONT', 'BACK'] } as const
const CAPTURE: DocumentStep = { ...DOCUMENT, state: 'CAPTURE', choice: CARD }
const AGAIN: DocumentStep = { ...CAPTURE, state: 'AGAIN', guidance: ['DOCUMENT_GLARE'], left: 3 }

const PORTRAIT: PortraitStep = {
  kind: 'portrait',
  state: 'READY',
  guidance: [],
  left: 3,
  livenessType: 'LIVENESS_MLC',
  wish: { withoutColours: false, withoutTurning: false },
  withoutColours: 'HERE',
  withoutTurning: 'COUNTER',
  uploadAllowed: false,
  tipsFirst: false,
}
const PHONE: PhoneStep = {
  kind: 'phone',
  state: 'NUMBER',
  maskedNumber: null,
  digits: 6,
  triesLeft: 5,
  sendAgainAt: null,
  mayChangeNumber: true,
  mismatch: false,
  mayBeSkipped: true,
}
const CODE: PhoneStep = {
  ...PHONE,
  state: 'CODE',
  maskedNumber: '+33 •• •• •• 42',
  sendAgainAt: new Date(Date.now() + 28_000).toISOString(),
}

function field(name: CheckField['name'], value: string | null, more: Partial<CheckField> = {}): CheckField {
  return {
    name,
    value,
    original: null,
    typed: null,
    hardToRead: false,
    hasCrop: value !== null,
    editable: true,
    shortened: false,
    ...more,
  }
}
const FIELDS: readonly CheckField[] = [
  field('givenNames', 'ANNA MARIA'),
  field('familyName', 'SAMPLE'),
  field('birthDate', '1964-07-05'),
  field('documentNumber', 'L898902C42'),
  field('expiryDate', '2031-01-31', { hardToRead: true }),
  field('issuingCountry', 'UTO'),
  field('address', null, { editable: false }),
]
const checkOf = (fields: readonly CheckField[], left = 3): StepView => ({ kind: 'check', fields, left })
const CHIP: ChipStep = {
  kind: 'chip',
  state: 'WAITING',
  documentType: 'PASSPORT',
  part: 'ACCESS',
  progress: 0,
  fault: null,
  mayTypeCan: false,
  mayBeSkipped: true,
}
const CHIP_OF_CARD: ChipStep = { ...CHIP, documentType: 'RESIDENT_CARD', mayTypeCan: true }
const DETAILS: StepView = {
  kind: 'details',
  question: 'DOCUMENT',
  source: 'Document verification of Utopia',
  fields: ['cardNumber'],
}
const typeDetail: Act = (root) => {
  const input = root.querySelector<HTMLInputElement>('#detail-cardNumber')
  if (!input) throw new Error('there is no field for the number')
  input.value = 'P123 4567'
}
const asked = (iso3: string, iso2: string, name: string | null): AddressStep['countries'][number] => ({
  iso3,
  iso2,
  name,
  source: 'Register of residents of Utopia',
  told: ['country', 'streetLine1', 'streetLine2', 'postcode', 'city', 'givenNames', 'surname', 'dateOfBirth'],
  numberFirst: iso2 === 'XX',
  fields: [
    { name: 'street', keys: 'LETTERS', isOptional: false, example: null },
    { name: 'further', keys: 'LETTERS', isOptional: true, example: null },
    { name: 'postcode', keys: iso2 === 'XX' ? 'DIGITS' : 'CAPITALS', isOptional: false, example: '1234' },
    { name: 'city', keys: 'LETTERS', isOptional: false, example: null },
  ],
})
const ADDRESS: AddressStep = {
  kind: 'details',
  question: 'ADDRESS',
  state: 'TYPE',
  countries: [asked('UTO', 'XX', 'Utopia'), asked('NLD', 'NL', null), asked('DEU', 'DE', null)],
  isFirstLikely: true,
  left: 5,
  answer: null,
}
const answered = (says: NonNullable<AddressStep['answer']>['says'], left = 4): AddressStep => ({
  ...ADDRESS,
  state: 'ANSWERED',
  left,
  answer: { source: says === 'UNASKED' ? null : 'Register of residents of Utopia', says },
})
/** Types this part, and opens the next. */
const part = (name: string, value: string): Act[] => [typeInto(`#address-${name}`, value), press('Done')]
const LONG_NAME = 'Wolfeschlegelsteinhausenbergerdorff-Featherstonehaugh van der Rozenkwint-Sampleton'

const result = (outcome: 'CONFIRMED' | 'PERSON' | 'LATER'): StepView => ({
  kind: 'result',
  outcome,
  receipt: { reference: '7K4P-2M9X', code: 'Q3RTV-8WXYZ-4K7PM', qr, issuedAt: '2026-11-21T14:05' },
  isCaptured: true,
  offline: outcome === 'LATER',
})
const LOGIN = {
  kind: 'trusted-login',
  state: 'CHOOSE',
  providers: [
    { id: 'bank', name: 'Utopia Bank ID' },
    { id: 'state', name: 'Utopia Citizen Login' },
  ],
  login: null,
} as const
const rows = (doc: 'TODO' | 'DOING' | 'DONE', face: 'TODO' | 'DOING' | 'DONE') =>
  [
    { name: 'document', state: doc },
    { name: 'portrait', state: face },
    { name: 'seal', state: 'TODO' },
  ] as const
const waiting = (mayLeave = false): StepView => ({
  kind: 'waiting',
  ready: false,
  rows: rows('DONE', 'DOING'),
  mayLeave,
})
/** A clock that has run for so long when it is first read again. */
const after = (ms: number) => {
  let read = 0
  return () => (read++ === 0 ? 0 : ms)
}
const consent = {
  kind: 'consent',
  required: ['ID_DOCUMENT', 'PORTRAIT'],
  optional: ['MOBILE_OTP'],
  disclosures: {},
  retention: { hoursAfterHandover: 720, hasCentre: false, unfinishedHours: 168 },
} as const
/** A problem that waiting does not solve: the page about the camera appears immediately. */
const lost = { problem: 'stopped', text: '', retries: false }

const SCREENS_ALONE: Readonly<Record<string, Scene>> = {
  starting: outer('starting', { journey: null }),
  'resting/no-server': outer('resting', { journey: null }),
  'resting/closed': outer('resting', { trouble: 'closed' }),
  welcome: outer('welcome'),
  'welcome/one-language': outer('welcome', { journey: { ...JOURNEY, languages: ['en'], mode: 'test' } }),
  'welcome/expired': outer('welcome', { trouble: 'expired' }),
  consent: at(consent),
  'consent/working': working(at(consent)),
  'consent/offline': withTrouble(at(consent), 'offline'),
  'consent/read-it-all': at(consent, { then: [press('Read it all')] }),
  'consent/read-on': at(consent, { then: [press('Read it all'), nextPage] }),
  'consent/optional': at(consent, { then: [press('Yes, I agree')] }),
  login: at(LOGIN),
  'login/waiting': at({ ...LOGIN, state: 'WAITING', login: { qr, expiresAt: '2026-11-21T12:00:00Z' } }),
  'login/failed': at({ ...LOGIN, state: 'FAILED' }),
  'document/kinds': at(DOCUMENT),
  'document/something-else': at(DOCUMENT, { then: [press('Something else')] }),
  'document/countries': at(DOCUMENT, { then: [press('Passport')] }),
  'document/countries-loading': at(DOCUMENT, {
    ask: { ...ASK, countries: never },
    then: [press('Passport')],
  }),
  'document/countries-offline': at(DOCUMENT, { ask: { ...ASK, countries: broken } }),
  'document/country-search': at(DOCUMENT, {
    then: [press('Passport'), press('Another country'), typeInto('#country-typed', 'bo')],
  }),
  'document/country-absent': at(DOCUMENT, { then: [press('Passport'), press('Mine is not there')] }),
  'document/camera-starting': at(CAPTURE),
  'document/guidance': at(CAPTURE, { then: [guidance('GLARE', 'Shiny spot. Tilt it a little', 'tilt')] }),
  'document/good': at(CAPTURE, { then: [guidance('READY', 'Good. Keep it there', 'good', 'good')] }),
  'document/tip': at(CAPTURE, {
    then: [
      guidance('CUT', 'Show all four corners', 'corners'),
      tell('ladder', { manualHighlighted: true, manualFirst: false, showTips: false }),
    ],
  }),
  'document/tips': at(CAPTURE, {
    then: [
      guidance('BLUR', 'Not clear yet. Move it back a little', 'farther'),
      tell('ladder', { manualHighlighted: true, manualFirst: false, showTips: true }),
    ],
  }),
  'document/turn-over': at(CAPTURE, {
    then: [
      tell('side-captured', { side: 'FRONT', stillUrl: '', quality: 'good', by: 'automatic', next: 'BACK' }),
      tell('side-wanted', { side: 'BACK' }),
      guidance('WRONG_SIDE', 'Turn it over', 'turn-over'),
      () => undefined,
      ...Array.from({ length: 22 }, () => () => undefined),
    ],
  }),
  'document/not-open': at(CAPTURE, { ask: { ...ASK, openDocumentCapture: broken } }),
  'document/camera-stopped': at(CAPTURE, { then: [tell('camera-problem', lost)] }),
  'document/checking': at({ ...CAPTURE, state: 'CHECKING' }),
  'document/again': at(AGAIN),
  'document/ended': at({ ...AGAIN, guidance: ['DOCUMENT_ENDED'], left: 1 }),
  'document/to-person': at(PORTRAIT, { visit: { notice: 'DOCUMENT_TO_PERSON' } }),
  check: at(checkOf(FIELDS)),
  'check/shown': at(checkOf(FIELDS), { then: [press('Show what is covered')] }),
  'check/long-name': at(checkOf([field('name', LONG_NAME, { shortened: true }), ...FIELDS.slice(2)])),
  'check/every-field': at(
    checkOf([
      ...FIELDS.slice(0, 6),
      field('nationality', 'UTO'),
      field('sex', 'F'),
      field('address', 'MUSTERSTRASSE 17, 12345 UTOPOLIS'),
    ]),
  ),
  'check/single-name': at(
    checkOf([field('givenNames', null), field('familyName', 'SUKARNOPUTRA'), ...FIELDS.slice(2)]),
  ),
  'check/two-scripts': at(
    checkOf([
      field('name', 'AMINA AL SAMPLE', { original: { value: 'أمينة السامبل', script: 'Arab' } }),
      ...FIELDS.slice(2),
    ]),
  ),
  'check/ended': at(
    checkOf(FIELDS.map((each) => (each.name === 'expiryDate' ? { ...each, value: '2025-05-03' } : each))),
  ),
  'chip/passport': at(CHIP),
  'chip/card': at(CHIP_OF_CARD),
  'chip/several': at({ ...CHIP, fault: 'SEVERAL' }),
  'chip/reading': at({ ...CHIP, state: 'READING', part: 'PORTRAIT', progress: 0.62 }),
  'chip/lost': at({ ...CHIP_OF_CARD, state: 'LOST', part: 'DETAILS', progress: 0.3 }),
  'chip/checking': at({ ...CHIP, state: 'CHECKING' }),
  'chip/refused': at({ ...CHIP, state: 'KEY_REFUSED' }),
  'chip/refused-card': at({ ...CHIP_OF_CARD, state: 'KEY_REFUSED' }),
  'chip/type-number': at({ ...CHIP_OF_CARD, state: 'KEY_REFUSED' }, { then: [press('Type the 6 digits')] }),
  'chip/type-wrong': at(
    { ...CHIP_OF_CARD, state: 'KEY_REFUSED' },
    { then: [press('Type the 6 digits'), typeInto('#chip-can-typed', '123'), press('Done')] },
  ),
  'chip/no-document': at({ ...CHIP, state: 'FAILED', fault: 'NO_DOCUMENT' }),
  'chip/two-documents': at({ ...CHIP, state: 'FAILED', fault: 'SEVERAL' }),
  'chip/unreadable': at({ ...CHIP_OF_CARD, state: 'FAILED', fault: 'UNREADABLE' }),
  'chip/no-reader': at({ ...CHIP, state: 'FAILED', fault: 'READER', mayBeSkipped: false }),
  'chip/read': at(PORTRAIT, { visit: { notice: 'CHIP_READ' } }),
  details: at(DETAILS),
  'details/wrong': at(DETAILS, { then: [press('Done')] }),
  'details/review': at(DETAILS, { then: [typeDetail, press('Done')] }),
  'details/unusual': at(DETAILS, {
    ask: unusual('OTHER_FORM', 'cardNumber'),
    then: [typeDetail, press('Done')],
  }),
  'details/document-number': at(DETAILS, {
    ask: unusual('DOCUMENT_NUMBER', 'cardNumber'),
    then: [typeDetail, press('Done')],
  }),
  'address/street': at(ADDRESS),
  'address/countries': at({ ...ADDRESS, isFirstLikely: false }),
  'address/further': at(ADDRESS, { then: part('street', '1 Example Street') }),
  'address/postcode': at(ADDRESS, { then: [...part('street', '1 Example Street'), ...part('further', '')] }),
  'address/postcode-unusual': at(ADDRESS, {
    ask: unusual('UNUSUAL', 'postcode'),
    then: [...part('street', '1 Example Street'), ...part('further', ''), ...part('postcode', '12')],
  }),
  'address/review': at(ADDRESS, {
    then: [
      ...part('street', '1 Example Street of the very long name in the old town'),
      ...part('further', 'Flat 12, second floor'),
      ...part('postcode', '1000'),
      ...part('city', 'Utopia City'),
    ],
  }),
  'address/checking': at({ ...ADDRESS, state: 'CHECKING' }),
  'address/confirmed': at(answered('CONFIRMED')),
  'address/open': at(answered('OPEN')),
  'address/different': at(answered('DIFFERENT')),
  'address/limit': at(answered('DIFFERENT', 0)),
  'address/silent': at(answered('SILENT')),
  'address/unasked': at(answered('UNASKED')),
  'details/answered': at(PORTRAIT, { visit: { notice: 'ISSUER_ANSWERED' } }),
  'check/pick': at(checkOf(FIELDS), { then: [press('Something is wrong')] }),
  'check/type-name': at(checkOf(FIELDS), { then: [press('Something is wrong'), press('Family name')] }),
  'check/type-marks': at(checkOf(FIELDS), {
    then: [press('Something is wrong'), press('Family name'), ...keyPage(1)],
  }),
  'check/type-further-marks': at(checkOf(FIELDS), {
    then: [press('Something is wrong'), press('Family name'), ...keyPage(2)],
  }),
  'check/type-signs': at(checkOf(FIELDS), {
    then: [press('Something is wrong'), press('Family name'), ...keyPage(3)],
  }),
  'check/type-arabic': at(checkOf([field('name', 'أمينة السامبل'), ...FIELDS.slice(2)]), {
    then: [press('Something is wrong'), press('Name')],
  }),
  'check/type-date': at(checkOf(FIELDS), { then: [press('Something is wrong'), press('Born')] }),
  'check/typed': at(checkOf(FIELDS), {
    then: [
      press('Something is wrong'),
      press('Family name'),
      typeInto('#typed-familyName', 'SAMPEL'),
      press('Done'),
    ],
  }),
  'portrait/before': at(PORTRAIT),
  'portrait/before-simple': at({
    ...PORTRAIT,
    livenessType: 'LIVENESS_PASSIVE_VIDEO',
    withoutColours: null,
  }),
  'portrait/cannot': at(PORTRAIT, { then: [press('I cannot do this')] }),
  'portrait/officer': at(PORTRAIT, { then: [press('I cannot do this'), press('Without turning my head')] }),
  'portrait/look': at(PORTRAIT, {
    then: [press('Start'), guidance('LOOK', 'Look straight at the camera', 'straight')],
  }),
  'portrait/turn': at(PORTRAIT, {
    then: [
      press('Start'),
      guidance('TURN_TO_DOT', 'Turn your head to the dot', 'right'),
      tell('prompt', {
        kind: 'TURN_RIGHT',
        text: '',
        screenSide: 'right',
        index: 1,
        of: 3,
        isHolding: false,
        attempt: 1,
      }),
    ],
  }),
  'portrait/colour': at(PORTRAIT, {
    then: [
      press('Start'),
      guidance('COLOURS', 'Stay close and keep looking. Soft colours now', 'colours', 'note'),
      tell('surround', { name: 'GREEN', colour: '#00da00' }),
    ],
  }),
  'portrait/camera-absent': at(PORTRAIT, {
    then: [press('Start'), tell('camera-problem', { ...lost, problem: 'absent' })],
  }),
  'portrait/checking': at({ ...PORTRAIT, state: 'CHECKING' }),
  'portrait/again': at({ ...PORTRAIT, state: 'AGAIN', guidance: ['PORTRAIT_SHADOW'], left: 2 }),
  'portrait/tips': at({
    ...PORTRAIT,
    state: 'AGAIN',
    guidance: ['PORTRAIT_NOT_DONE'],
    left: 1,
    tipsFirst: true,
  }),
  'portrait/tips-ours': at({
    ...PORTRAIT,
    state: 'AGAIN',
    guidance: ['PORTRAIT_OURS'],
    left: 1,
    tipsFirst: true,
  }),
  'phone/number': at(PHONE, { then: [typeInto('#phone-typed', '0612345678')] }),
  'phone/empty': at(PHONE),
  'phone/country': at(PHONE, {
    then: [(root) => root.querySelector<HTMLElement>('.hands [aria-label*="+"]')?.click()],
  }),
  'phone/none': at(PHONE, { then: [press('I have no phone')] }),
  'phone/sending': at({ ...CODE, state: 'SENDING' }),
  'phone/code': at(CODE, { then: [typeInto('#code-typed', '482 0')] }),
  'phone/mismatch': at({ ...CODE, mismatch: true, triesLeft: 4, sendAgainAt: new Date(0).toISOString() }),
  'phone/failed': at({ ...PHONE, state: 'FAILED' }),
  'waiting/first': at(waiting()),
  'waiting/still': at(waiting(), { clock: after(21_000) }),
  'waiting/long': at(waiting(true), { clock: after(46_000) }),
  'result/confirmed': at(result('CONFIRMED')),
  'result/person': at(result('PERSON')),
  'result/later': at(result('LATER')),
  'result/large': at(result('CONFIRMED'), { then: [press('No paper?')] }),
  'goodbye/finished': outer('goodbye'),
  'goodbye/refused': outer('goodbye', { parting: 'refused' }),
  'goodbye/stopped': outer('goodbye', { parting: 'stopped' }),
  'goodbye/taken-over': outer('goodbye', { parting: 'taken-over' }),
}

export const SCENES: Readonly<Record<string, Scene>> = Object.fromEntries(
  Object.entries(SCREENS_ALONE).flatMap(([name, scene]): (readonly [string, Scene])[] => [
    [name, scene],
    ...(OVERLAYS[name] ?? []).map(
      ([over, open]) => [`${name}/over-${over}`, { ...scene, over: open }] as const,
    ),
  ]),
)
