/** Damage that no test can notice, because the program does the same: each with the reason. `near` is a part of its line. */
export const EQUIVALENT: readonly { file: string; was: string; text: string; near: string; why: string }[] = [
  {
    file: 'electron/travel/apply-changes.ts',
    was: 'facts.set(path, now);',
    text: ';',
    near: 'facts.set',
    why: 'Without facts every path is read a second time: slower, with the same answer.',
  },
  {
    file: 'electron/travel/apply-changes.ts',
    was: "seen.kind === 'blocked'",
    text: 'false',
    near: 'contentOfDisk',
    why: 'What is blocked and still not there fits its facts, so this is not reached; it only matters when something appears there.',
  },
  {
    file: 'electron/travel/apply-changes.ts',
    was: 'done % 32 === 31',
    text: 'false',
    near: 'setImmediate',
    why: 'Pauses change the order of other work, not this one.',
  },
  { file: 'electron/travel/apply-changes.ts', was: '64', text: '65', near: 'HELD', why: 'How much is held at once is a matter of memory.' },
  {
    file: 'electron/travel/carry-out.ts',
    was: '8',
    text: '9',
    near: 'width: 8',
    why: 'How many are looked at together does not change what is seen.',
  },
  {
    file: 'electron/travel/carry-out.ts',
    was: ".filter((file: RecordedFile) => file[side].kind === 'absent')",
    text: '',
    near: 'const gone',
    why: 'A folder in which a file was written is not empty, so asking for it removes nothing.',
  },
  {
    file: 'electron/travel/choose.ts',
    was: "?? 'keep'",
    text: '',
    near: 'chosen.get',
    why: 'Every path of the plan was chosen for: the default is for the compiler.',
  },
];
