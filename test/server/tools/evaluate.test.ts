import { execFileSync, spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { main } from '../../../server/cli.ts'
import { defaultModelsDir } from '../../../server/vision/packs.ts'
import { collectOutput } from '../../support/output.ts'
import { writeOnnxEngines } from '../../support/toy-engines.ts'

const SPECIMENS = join(import.meta.dirname, '../../../resources/specimens')
let folder: string
let output: ReturnType<typeof collectOutput>
const at = (name: string): string => join(folder, name)
const results = (): string => readFileSync(at('scores.csv'), 'utf8')
const rowsOf = (text: string): string[] =>
  text
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('#'))

/** Results of a run on one thread. */
let whole: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'evaluate-'))
  copyFileSync(join(SPECIMENS, 'alba/portrait.jpg'), at('a.jpg'))
  copyFileSync(join(SPECIMENS, 'cole/portrait.jpg'), at('b.jpg'))
  copyFileSync(join(SPECIMENS, 'nothing.jpg'), at('faceless.jpg'))
  writeFileSync(at('broken.jpg'), 'no picture')
  writeFileSync(
    at('pairs.csv'),
    'probe,reference,label\na.jpg,a.jpg,genuine\na.jpg,b.jpg,impostor\nb.jpg,faceless.jpg,impostor\nbroken.jpg,a.jpg,genuine\n',
  )
  output = collectOutput()
  await match('--threads', '1')
  whole = results()
  rmSync(at('scores.csv'))
})
afterAll(() => rmSync(folder, { recursive: true }))
beforeEach(() => {
  output = collectOutput()
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(at('scores.csv'), { force: true })
})

const match = (...more: string[]): Promise<number> =>
  main([
    'evaluate',
    'match',
    '--pairs',
    at('pairs.csv'),
    '--out',
    at('scores.csv'),
    '--packs',
    'core',
    ...more,
  ])

describe('evaluate match', () => {
  // @clause 30107-3/version
  test('writes the score and the product’s decision of each pair below a header that names models and thresholds', () => {
    const header = whole
      .split('\n')
      .filter((line) => line.startsWith('#'))
      .join('\n')
    expect(header).toMatch(/# model dlib-resnet29-150 \S+ sha256 [0-9a-f]{64}/)
    expect(header).toMatch(/# decision core-\S+ at 0\.\d+, claimed FMR 0\.001/)
    expect(header).toMatch(/# list sha256 [0-9a-f]{64}/)
    const [columns, same, others, noFace, unreadable] = rowsOf(whole)
    expect(columns).toBe('probe,reference,label,score,decision,outcome')
    expect(same).toBe('a.jpg,a.jpg,genuine,1.000000,match,ok')
    expect(others).toMatch(/^a\.jpg,b\.jpg,impostor,0\.[4-9]\d{5}|1\.\d{6},no_match,ok$/)
    expect(noFace).toBe('b.jpg,faceless.jpg,impostor,,,reference_no_face')
    expect(unreadable).toBe('broken.jpg,a.jpg,genuine,,,probe_unreadable')
  })

  // @clause 30107-3/version
  test('gives the same bytes on one thread, on three, and after an interruption in the middle of a line', async () => {
    expect(await match('--threads', '3')).toBe(0)
    expect(results()).toBe(whole)
    writeFileSync(at('scores.csv'), whole.slice(0, whole.indexOf('b.jpg,faceless') + 4))
    await match()
    expect(results()).toBe(whole)
    // A complete file stays as it is.
    await match()
    expect(results()).toBe(whole)
  })

  test('leaves the results of another list alone', async () => {
    writeFileSync(at('scores.csv'), '# counterproof 0.0.1 evaluate match\nprobe\n')
    expect(await match()).toBe(2)
    expect(output.text).toContain('holds results of another list')
    expect(results()).toBe('# counterproof 0.0.1 evaluate match\nprobe\n')
  })

  const matchOf = async (pairs: string, ...more: string[]): Promise<number> => {
    writeFileSync(at('list.csv'), pairs)
    return main([
      ...['evaluate', 'match', '--pairs', at('list.csv'), '--out', at('scores.csv'), '--packs', 'core'],
      ...more,
    ])
  }

  test('compares TIFF and HEIC pictures, and absolute paths', async () => {
    await sharp(at('a.jpg')).tiff().toFile(at('a.tif'))
    const heic = join(import.meta.dirname, '../../fixtures/heic/passport.heic')
    expect(await matchOf(`probe,reference\na.tif,${at('a.jpg')}\na.jpg,${heic}\n`)).toBe(0)
    const [, tiff, phone] = rowsOf(results())
    expect(tiff).toMatch(/,match,ok$/)
    expect(phone).not.toContain('unreadable')
  })

  test('refuses a list that names missing files, folders, pipes, a row twice or an unknown label, before the run', async () => {
    symlinkSync(at('nowhere.jpg'), at('dangling.jpg'))
    execFileSync('mkfifo', [at('pipe.jpg')])
    const rows = ['a.jpg,gone.jpg', 'dangling.jpg,a.jpg', 'a.jpg,.', 'pipe.jpg,a.jpg', 'a.jpg,""']
    expect(await matchOf(['probe,reference', ...rows].join('\n'))).toBe(2)
    expect(output.text).toContain('row 1: "gone.jpg" does not exist')
    expect(output.text).toContain('row 2: "dangling.jpg" does not exist')
    expect(output.text).toContain('row 3: "." is a folder')
    expect(output.text).toContain('row 4: "pipe.jpg" is no regular file')
    expect(output.text).toContain('row 5: "" is an empty cell')
    expect(await matchOf('probe,reference\na.jpg,b.jpg\na.jpg,b.jpg\n')).toBe(2)
    expect(output.text).toContain('row 2 repeats row 1')
    for (const again of ['./a.jpg,b.jpg', 'b.jpg,a.jpg']) {
      output = collectOutput()
      expect(await matchOf(`probe,reference\na.jpg,b.jpg\n${again}\n`)).toBe(2)
      expect(output.text).toContain('row 2 repeats row 1')
    }
    expect(await matchOf('probe,reference,probe\na.jpg,b.jpg,b.jpg\n')).toBe(2)
    expect(output.text).toContain('two columns are named "probe"')
    writeFileSync(at('latin.csv'), Buffer.from('probe,reference\nd\xe9.jpg,b.jpg\n', 'latin1'))
    expect(await match('--pairs', at('latin.csv'))).toBe(2)
    expect(output.text).toContain('is not encoded in UTF-8')
    expect(await matchOf('probe,reference,label\na.jpg,b.jpg,genuin\n')).toBe(2)
    expect(output.text).toContain('the label "genuin" is none of genuine, impostor')
    expect(existsSync(at('scores.csv'))).toBe(false)
  })

  test('continues after a file name that holds a line feed, and rates a file name that begins with #', async () => {
    const odd = 'odd\nname.jpg'
    copyFileSync(at('faceless.jpg'), at(odd))
    copyFileSync(at('a.jpg'), at('#1.jpg'))
    const pairs = `probe,reference,label\n#1.jpg,a.jpg,genuine\n"${odd}",b.jpg,impostor\nb.jpg,b.jpg,genuine\n`
    await matchOf(pairs)
    const complete = results()
    writeFileSync(at('scores.csv'), complete.slice(0, complete.indexOf('b.jpg,b.jpg')))
    expect(await main(['evaluate', 'rates', at('scores.csv')])).toBe(0)
    expect(output.text).toContain('INCOMPLETE: 1 of 3 rows are missing')
    expect(output.text).toContain('FNMR: 0 of 1')
    await matchOf(pairs)
    expect(results()).toBe(complete)
  })

  test('refuses a second run that writes the same results, and results of other pictures', async () => {
    const codes = await Promise.all([match(), match()])
    expect(codes.toSorted()).toEqual([0, 2])
    expect(output.text).toContain('another run')
    expect(results()).toBe(whole)
    expect(existsSync(at('scores.csv.lock'))).toBe(false)
    mkdirSync(at('others'))
    for (const name of ['a.jpg', 'b.jpg', 'faceless.jpg', 'broken.jpg'])
      copyFileSync(at('faceless.jpg'), join(at('others'), name))
    expect(await match('--images', at('others'))).toBe(2)
    expect(output.text).toContain('or of other pictures')
  })

  test('names a model that is damaged, and what to do', async () => {
    cpSync(defaultModelsDir(), at('models'), { recursive: true })
    const damaged = readFileSync(at('models/dlib-resnet29-150.onnx'))
    damaged[1000] ^= 1
    writeFileSync(at('models/dlib-resnet29-150.onnx'), damaged)
    expect(await match('--models-dir', at('models'))).toBe(2)
    expect(output.text).toMatch(/differ from the files that the manifest pins: dlib-resnet29-150/)
    expect(output.text).toContain('npm run models')
  })

  test('session refuses a recording that its folder lacks', async () => {
    writeFileSync(at('list.csv'), 'recording,label\nnone,print\n')
    const argv = ['evaluate', 'session', '--recordings', folder, '--list', at('list.csv')]
    expect(await main([...argv, '--out', at('scores.csv')])).toBe(2)
    expect(output.text).toContain('row 1: "none" is no folder')
  })

  test.each([
    ['--images', '/nowhere', '/nowhere is no folder'],
    ['--models-dir', '/nowhere', '/nowhere is no folder'],
    ['--data', '/nowhere', '/nowhere is no folder'],
    ['--data', SPECIMENS, 'config.json does not exist'],
    ['--out', '/nowhere/scores.csv', '/nowhere is no folder'],
    ['--out', '/dev/full', '/dev/full is no regular file'],
  ])('refuses %s %s', async (option, value, sentence) => {
    expect(await match(option, value)).toBe(2)
    expect(output.text).toContain(sentence)
    expect(existsSync('/nowhere')).toBe(false)
  })

  test('refuses a folder of models that COUNTERPROOF_MODELS names and that does not exist', async () => {
    vi.stubEnv('COUNTERPROOF_MODELS', '/nowhere')
    expect(await match()).toBe(2)
    expect(output.text).toContain('/nowhere is no folder')
    vi.unstubAllEnvs()
  })

  test.each([
    [['evaluate', 'match'], '--out is needed'],
    [['evaluate', 'match', '--out', '/tmp/x.csv'], '--pairs is needed'],
    [['evaluate', 'match', '--pairs', '/nowhere.csv', '--out', '/tmp/x.csv'], '/nowhere.csv does not exist'],
    [['evaluate', 'guess'], "there is no action 'guess'"],
    [['evaluate', 'match', '--threads', '0'], 'whole number'],
  ])('refuses %j with a sentence', async (argv, sentence) => {
    expect(await main(argv)).toBe(2)
    expect(output.text).toContain(sentence)
  })

  test('refuses a list without its columns, and one that is no table', async () => {
    const list = (text: string): Promise<number> => {
      writeFileSync(at('list.csv'), text)
      return main(['evaluate', 'match', '--pairs', at('list.csv'), '--out', at('scores.csv')])
    }
    expect(await list('probe\na.jpg\n')).toBe(2)
    expect(output.text).toContain('lacks the columns reference')
    expect(await list('probe,reference\n"a.jpg,b.jpg\n')).toBe(2)
    expect(output.text).toContain('is no comma-separated list')
  })
})

describe('evaluate with a mounted engine', () => {
  const data = (): string => at('data')
  beforeAll(() => {
    mkdirSync(data(), { mode: 0o700 })
    writeOnnxEngines(data())
    const engines = { faceMatching: { folder: 'face' }, attackDetection: { folder: 'attack' } }
    writeFileSync(join(data(), 'config.json'), JSON.stringify({ engines }), { mode: 0o600 })
  })

  test('scores faces and attacks with it, and names it with its hash and points', async () => {
    expect(await match('--data', data())).toBe(0)
    const text = results()
    expect(text).toMatch(/# engine toy-face 1\.0\n# model toy-face 1\.0 sha256 [0-9a-f]{64}\n/)
    expect(text).not.toContain('dlib')
    expect(text).toContain('# decision toy-decision at 0.9, claimed FMR 0.5')
    expect(rowsOf(text)[1]).toBe('a.jpg,a.jpg,genuine,1.000000,match,ok')
    rmSync(at('scores.csv'))
    writeFileSync(at('faces.csv'), 'file,label\na.jpg,bona fide\n')
    const argv = ['evaluate', 'pad', '--list', at('faces.csv'), '--out', at('scores.csv'), '--packs', 'core']
    expect(await main([...argv, '--data', data()])).toBe(0)
    expect(results()).toMatch(/# engine toy-attack 1\.0\n/)
    expect(rowsOf(results())[1]).toMatch(/^a\.jpg,bona fide,0\.\d{6},bona_fide,ok$/)
  })

  test('ends with one sentence if the engine gives no answer in the middle', async () => {
    const path = join(data(), 'attack/engine.json')
    const manifest = readFileSync(path, 'utf8')
    // Scores above 1: only a picture shows it.
    writeFileSync(path, manifest.replace('"deviation":[255,255,255]', '"deviation":[1,1,1]'))
    writeFileSync(at('faces.csv'), 'file,label\na.jpg,bona fide\n')
    const argv = ['evaluate', 'pad', '--list', at('faces.csv'), '--out', at('scores.csv'), '--packs', 'core']
    expect(await main([...argv, '--data', data()])).toBe(2)
    expect(output.text).toContain('the engine toy-attack 1.0 gives no answer: unexpected-answer\nSee --help.')
    writeFileSync(path, manifest)
  })

  test('says which answer the engine gives instead of the expected one, as models does', async () => {
    const path = join(data(), 'face/engine.json')
    const manifest = readFileSync(path, 'utf8')
    writeFileSync(path, manifest.replace('"numbers":12', '"numbers":512'))
    expect(await match('--data', data())).toBe(2)
    expect(output.text).toContain('gives no answer: refused (12 values, 512 expected)')
    expect(await main(['models', '--data', data()])).toBe(1)
    expect(output.text).toMatch(/toy-face 1\.0 \(refused, .*\): 12 values, 512 expected/)
    writeFileSync(path, manifest)
  })

  test.each(['session', 'document'])('%s refuses an engine that it would not use', async (action) => {
    mkdirSync(at('recordings/one'), { recursive: true })
    writeFileSync(at('faces.csv'), 'file,label\na.jpg,bona fide\n')
    const given = action === 'session' ? ['--recordings', at('recordings')] : ['--list', at('faces.csv')]
    expect(await main(['evaluate', action, ...given, '--out', at('scores.csv'), '--data', data()])).toBe(2)
    expect(output.text).toContain(`${action} takes no --data`)
  })

  test('writes no row if the engine gives no answer, and says which', async () => {
    writeFileSync(join(data(), 'face/model.onnx'), 'another file')
    expect(await match('--data', data())).toBe(2)
    expect(output.text).toContain('the engine toy-face 1.0 gives no answer: refused')
    expect(existsSync(at('scores.csv'))).toBe(false)
  })
})

test('evaluate pad without its networks names the command that installs them', async () => {
  writeFileSync(at('faces.csv'), 'file,label\na.jpg,bona fide\n')
  const argv = ['evaluate', 'pad', '--list', at('faces.csv'), '--out', at('scores.csv'), '--packs', 'core']
  expect(await main([...argv, '--models-dir', defaultModelsDir()])).toBe(2)
  expect(output.text).toContain('npm run models -- download')
})

describe('evaluate document', () => {
  test('tells status and correct fields of each document, and no value', async () => {
    rmSync(at('scores.csv'), { force: true })
    copyFileSync(join(SPECIMENS, 'alba/passport-photo.jpg'), at('alba.jpg'))
    const { fields } = JSON.parse(readFileSync(join(SPECIMENS, 'alba/truth.json'), 'utf8')) as {
      fields: { surname: string; documentNumber: string }
    }
    const { surname, documentNumber } = fields
    writeFileSync(
      at('documents.csv'),
      [
        'file,label,surname,number,sex',
        `alba.jpg,genuine,${surname},ANOTHER99,-`,
        'faceless.jpg,table,,,',
        'broken.jpg,genuine,X,,',
      ].join('\n'),
    )
    const argv = ['evaluate', 'document', '--list', at('documents.csv'), '--out', at('scores.csv')]
    expect(await main(argv)).toBe(0)
    const [columns, passport, table, refused] = rowsOf(results())
    expect(columns).toBe('file,label,status,codes,decision,number,surname,sex')
    expect(passport).toMatch(/^alba\.jpg,genuine,VERIFIED,,verified,(confirmed )?wrong,exact,$/)
    expect(table).toMatch(/^faceless\.jpg,table,[A-Z_]+,[\d ]*,not_verified,,,$/)
    expect(refused).toMatch(/^broken\.jpg,genuine,REFUSED,\w+,not_verified,,missing,$/)
    expect(results()).not.toMatch(new RegExp(`${surname}|${documentNumber}`))
  }, 300_000)
})

describe('evaluate rates', () => {
  const rates = async (text: string): Promise<string[]> => {
    writeFileSync(at('scores.csv'), text)
    await main(['evaluate', 'rates', at('scores.csv')])
    const [completeness, ...lines] = output.text.split('\n')
    expect(completeness).toContain('unknown whether complete')
    return lines
  }

  test('counts comparisons, with failures apart and as the user experiences them', async () => {
    const lines = await rates(
      [
        '# counterproof',
        'probe,reference,label,score,decision,outcome',
        'a,b,genuine,0.3,match,ok',
        'a,c,genuine,0.6,no_match,ok',
        'a,d,Genuine,,,probe_no_face',
        'a,e,impostor,0.9,no_match,ok',
        'a,f,impostor,0.5,review,ok',
        'a,g,impostor,0.1,match,ok',
        'a,h,,0.1,match,ok',
      ].join('\n'),
    )
    expect(lines[0]).toMatch(/^7 results, 6 of them labelled/)
    expect(lines.slice(1, 6)).toEqual([
      'failure to enrol or acquire: 1 of 6 = 16.67 % [3.01 %, 56.35 %]',
      'FNMR: 1 of 2 = 50.00 % [9.45 %, 90.55 %]',
      'FMR: 1 of 3 = 33.33 % [6.15 %, 79.23 %]',
      'FRR: 2 of 3 = 66.67 % [20.77 %, 93.85 %]',
      'FAR: 1 of 3 = 33.33 % [6.15 %, 79.23 %]',
    ])
  })

  test('states the bounds of a small rate, where two decimals would say 0', async () => {
    const impostors = Array.from({ length: 20_000 }, (_, i) => `a,${i},impostor,0.9,no_match,ok`)
    const lines = await rates(['probe,reference,label,score,decision,outcome', ...impostors].join('\n'))
    // Wilson: 1.96² / (20 000 + 1.96²) = 0.0192 %.
    expect(lines).toContain('FMR: 0 of 20000 = 0.00 % [0.00 %, 0.019 %]')
  })

  // @clause 30107-3/apcer 30107-3/bpcer 30107-3/nonresponse
  test('counts presentations by attack, an answer that is missing apart from an error', async () => {
    const lines = await rates(
      [
        'file,label,score,decision,outcome',
        'a,bona fide,0.9,bona_fide,ok',
        'b,bona_fide,0.2,attack,ok',
        'c,print,0.1,attack,ok',
        'd,print,0.9,bona_fide,ok',
        'e,screen,,,too_little_background',
        'f,print,,,no_face',
      ].join('\n'),
    )
    expect(lines.slice(1, 10).map((line) => line.replace(/ \[.*/, ''))).toEqual([
      'BPCER bona fide, of all presentations: 1 of 2 = 50.00 %',
      'BPCER bona fide, of those with an answer: 1 of 2 = 50.00 %',
      'BPNRR bona fide, without an answer: 0 of 2 = 0.00 %',
      'APCER print, of all presentations: 1 of 3 = 33.33 %',
      'APCER print, of those with an answer: 1 of 2 = 50.00 %',
      'APNRR print, without an answer: 1 of 3 = 33.33 %',
      'APCER screen, of all presentations: 0 of 1 = 0.00 %',
      'APCER screen, of those with an answer: no trials',
      'APNRR screen, without an answer: 1 of 1 = 100.00 %',
    ])
  })

  test('counts genuine documents that are refused, forgeries that pass, and wrong values', async () => {
    const lines = await rates(
      [
        'file,label,status,codes,decision,surname',
        'a,genuine,VERIFIED,,verified,exact',
        'b,genuine,NOT_VERIFIED,1599,not_verified,missing',
        'c,glued portrait,VERIFIED,,verified,confirmed wrong',
        'd,,VERIFIED,,verified,',
      ].join('\n'),
    )
    expect(lines.slice(1, 6).map((line) => line.replace(/ \[.*/, ''))).toEqual([
      'DFRR (genuine not verified): 1 of 2 = 50.00 %',
      'DFAR glued portrait: 1 of 1 = 100.00 %',
      'surname exact: 1 of 3 = 33.33 %',
      'surname wrong: 1 of 3 = 33.33 %',
      'surname wrong and returned as verified: 1 of 3 = 33.33 %',
    ])
  })

  test.each([
    ['probe,reference,label\na,b,genuine\n', 'holds no results'],
    [
      'file,label,score,decision,outcome\na,print,0.9,attack,ok\na,print,0.9,attack,ok\n',
      'row 2 repeats row 1',
    ],
    ['probe,reference,label,score,decision,outcome\na,b,mated,1,match,ok\n', 'the label "mated"'],
  ])('refuses a list without answers, a row twice, and an unknown label: %j', async (text, sentence) => {
    writeFileSync(at('scores.csv'), text)
    expect(await main(['evaluate', 'rates', at('scores.csv')])).toBe(2)
    expect(output.text).toContain(sentence)
  })

  test('says so where nothing is labelled', async () => {
    writeFileSync(at('scores.csv'), 'file,label,score,decision,outcome\na,,0.9,bona_fide,ok\n')
    expect(await main(['evaluate', 'rates', at('scores.csv')])).toBe(2)
    expect(output.text).toContain('no labelled results')
  })
})

describe('evaluate serve', () => {
  test('answers the same scores over HTTP, and refuses other hosts and recordings outside its folder', async () => {
    const server = spawn(process.execPath, [
      join(import.meta.dirname, '../../../server/run.mjs'),
      ...['evaluate', 'serve', '--port', '0', '--packs', 'core', '--recordings', folder],
    ])
    try {
      const url = await readAddress(server)
      const picture = (name: string): Blob => new Blob([readFileSync(at(name))])
      const post = async (path: string, parts: Readonly<Record<string, Blob>>) => {
        const body = new FormData()
        for (const [name, part] of Object.entries(parts)) body.append(name, part, name)
        const answer = await fetch(`${url}/${path}`, { method: 'POST', body })
        return { status: answer.status, body: (await answer.json()) as unknown }
      }
      const about = (await (await fetch(url)).json()) as { match: string[]; pad: unknown }
      expect(about.match).toContainEqual(
        expect.stringMatching(/^decision core-\S+ at 0\.\d+, claimed FMR 0\.001$/),
      )
      expect(about.pad).toBeNull()
      const [, , others] = rowsOf(whole).map((row) => row.split(','))
      expect((await post('match', { probe: picture('a.jpg'), reference: picture('b.jpg') })).body).toEqual({
        score: others[3],
        decision: 'no_match',
        outcome: 'ok',
      })
      const faceless = { probe: picture('a.jpg'), reference: picture('faceless.jpg') }
      expect((await post('match', faceless)).body).toMatchObject({ score: '', outcome: 'reference_no_face' })
      expect(await post('match', { probe: picture('a.jpg') })).toMatchObject({ status: 400 })
      const unserved = await post('pad', { file: picture('a.jpg') })
      expect(unserved).toMatchObject({
        status: 404,
        body: { errors: [{ message: expect.stringContaining('npm run models') as string }] },
      })
      const image = { method: 'POST', body: picture('a.jpg'), headers: { 'content-type': 'image/jpeg' } }
      expect(await (await fetch(`${url}/match`, image)).json()).toMatchObject({
        errors: [{ field: 'Content-Type', message: 'must be multipart/form-data' }],
      })
      expect((await post('document', { file: picture('broken.jpg') })).body).toMatchObject({
        status: 'REFUSED',
        decision: 'not_verified',
      })
      const session = async (recording: string) => {
        const answer = await fetch(`${url}/session`, { method: 'POST', body: JSON.stringify({ recording }) })
        return { status: answer.status, body: (await answer.json()) as unknown }
      }
      expect(await session('none')).toMatchObject({ status: 200, body: { outcome: 'unreadable' } })
      expect(await session('../etc')).toMatchObject({ status: 400 })
      const stranger = await new Promise<number | undefined>((resolve) =>
        request(`${url}/`, { headers: { host: 'evil.example' } }, ({ statusCode }) =>
          resolve(statusCode),
        ).end(),
      )
      expect(stranger).toBe(403)
    } finally {
      server.kill('SIGTERM')
    }
    expect(await new Promise((resolve) => server.once('exit', resolve))).toBe(0)
  })
})

test('evaluate serve refuses a port in use before it loads the models', async () => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as AddressInfo
  expect(await main(['evaluate', 'serve', '--port', String(port)])).toBe(2)
  expect(output.text).toContain(`another process uses port ${port}`)
  other.close()
})

async function readAddress({ stdout, stderr }: ChildProcessWithoutNullStreams): Promise<string> {
  let said = ''
  stderr.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')))
  for await (const chunk of stdout) {
    const found = /listening on (http:\/\/\S+)/.exec(String(chunk))
    if (found) return found[1]
  }
  throw new Error(`the server ended: ${said}`)
}
