import type { SshKeyFacts } from "@liveplane/core";

/** A key that ssh-keygen made for these tests alone, and what it printed of it. */
export interface KeptKey {
  readonly text: string;
  readonly passphrase: string | null;
  readonly facts: Omit<SshKeyFacts, "hasPassphrase">;
}

export const keptKeys = {
  "ed25519 as OPENSSH": {
    text: `-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW
QyNTUxOQAAACBfwTKyvzkxo/v9ucpqZf/cLqy9cQJD+jUTT+xCjoUuzwAAAJgyzWfSMs1n
0gAAAAtzc2gtZWQyNTUxOQAAACBfwTKyvzkxo/v9ucpqZf/cLqy9cQJD+jUTT+xCjoUuzw
AAAEB1o/xTEjzHDmueIbj78Y+GNw6cMwU4zd8+A+XiVVZZwl/BMrK/OTGj+/25ympl/9wu
rL1xAkP6NRNP7EKOhS7PAAAAD2tlcHQgZm9yIGEgdGVzdAECAwQFBg==
-----END OPENSSH PRIVATE KEY-----
`,
    passphrase: null,
    facts: {
      keyType: "ed25519",
      keyBits: 256,
      publicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIF/BMrK/OTGj+/25ympl/9wurL1xAkP6NRNP7EKOhS7P",
      fingerprint: "SHA256:m90nDTVcSKkgG2jzvii+NnGz7WqoVCpVsqay7tYTTes",
    },
  },
  "ed25519 as OPENSSH, of a seed that begins with a zero byte": {
    text: `-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW
QyNTUxOQAAACA+6h6WiN2fXPn0+u6NlQGKe56iid43KlhChgkHGpsY4wAAAIjIIZPhyCGT
4QAAAAtzc2gtZWQyNTUxOQAAACA+6h6WiN2fXPn0+u6NlQGKe56iid43KlhChgkHGpsY4w
AAAEAAO7VcIqUQInU5j4eg+dSM+27kJ5cbe4r8PSxLwLxjDT7qHpaI3Z9c+fT67o2VAYp7
nqKJ3jcqWEKGCQcamxjjAAAAAAECAwQF
-----END OPENSSH PRIVATE KEY-----
`,
    passphrase: null,
    facts: {
      keyType: "ed25519",
      keyBits: 256,
      publicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAID7qHpaI3Z9c+fT67o2VAYp7nqKJ3jcqWEKGCQcamxjj",
      fingerprint: "SHA256:xVjB8JBxlgDGRyy9Uy6iOYox8JgrVD2qMRJ92cs4Ouk",
    },
  },
  "ed25519 as OPENSSH, locked": {
    text: `-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAACmFlczI1Ni1jdHIAAAAGYmNyeXB0AAAAGAAAABADiq6WzT
YwvJt+Ta0mPRXSAAAACAAAAAEAAAAzAAAAC3NzaC1lZDI1NTE5AAAAIDBMkLB9xoq+UKZT
7lu3ToShQ3x18wGXcry8XAZrUnakAAAAkOtDiWET3dvMcHYdtz7m5u9wRb3SJ4kxMh/aPN
WNTwfx+Jw82SXb5AQJcM2Z1fpV2sT4Gfc7NWLryZkE+wmu0/QbEUhoQdjVkPAhlfx3TIK6
mpNCdquvtuU9tEoFmAhQiJpMCiyoVLiiSZf9Ftrou7zKm3GT9igLYgZC8IVacsz0def3R1
nM6wRK+Evi5k92vg==
-----END OPENSSH PRIVATE KEY-----
`,
    passphrase: "open sesame",
    facts: {
      keyType: "ed25519",
      keyBits: 256,
      publicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDBMkLB9xoq+UKZT7lu3ToShQ3x18wGXcry8XAZrUnak",
      fingerprint: "SHA256:QEfeN5FofPVovmUhkuIWJ+CKN99uAe9DO0l4M44RvAg",
    },
  },
  "ed25519 as OPENSSH under ChaCha20": {
    text: `-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAAHWNoYWNoYTIwLXBvbHkxMzA1QG9wZW5zc2guY29tAAAABm
JjcnlwdAAAABgAAAAQpLMKEGkY1EeeLGo2iBKK8AAAAAIAAAABAAAAMwAAAAtzc2gtZWQy
NTUxOQAAACAcbsAsChq5PwCsCw1Rz+08O8TWERVhFPzy5WSHIh9kcAAAAIgkWt9VTtpAoa
ZwItG5HE6Vm9Jmt9WYMd85nw5JamLI/Wad0pB1lHofg5TUY+1nEOsqJiBpvvertv8BkorM
GZV/cS3FkNQjz2XCntTLopiRhCtPka/Z37YgJMq0u03HGNX6/Ts2H5ZBIkRutFJ0UGSZ0p
fq8F5j1dKceJ3zvNPvfN0IRwHuXrJ5bRPzgww3nbechAH6IhgC7w==
-----END OPENSSH PRIVATE KEY-----
`,
    passphrase: "open sesame",
    facts: {
      keyType: "ed25519",
      keyBits: 256,
      publicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBxuwCwKGrk/AKwLDVHP7Tw7xNYRFWEU/PLlZIciH2Rw",
      fingerprint: "SHA256:AUwtRJFjlh6LAo99ie1UbcA0dixuIag6zQRlUmdcgT8",
    },
  },
  "ed25519 as OPENSSH under AES-GCM": {
    text: `-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAAFmFlczI1Ni1nY21Ab3BlbnNzaC5jb20AAAAGYmNyeXB0AA
AAGAAAABBt55b54ADCHmjlcUXVlRNlAAAAAgAAAAEAAAAzAAAAC3NzaC1lZDI1NTE5AAAA
IKDf6sHDFx4fV/p98Vo0+gJFrttKqDy8/asVZGx7/frQAAAAkAdPGw3DZK7y83AiAUm0Qi
9+kYME1B04pZLul9dYCPg9BsB4oV9Xg1eVJSOOtLxutgZhH0XhfTbn/zL0w6cyA8KWorEC
JV0JIOrJGGurWQFNNuyyFDC4b2uj+4RRERE3a72AXEWWDUwZzJvlaopnvkZBgo4+7FnidE
cZmNKZ0m345tVzuXArwMd5gHxDiPiHSqDCeh32Rm10Yhc4dWlQdBk=
-----END OPENSSH PRIVATE KEY-----
`,
    passphrase: "open sesame",
    facts: {
      keyType: "ed25519",
      keyBits: 256,
      publicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKDf6sHDFx4fV/p98Vo0+gJFrttKqDy8/asVZGx7/frQ",
      fingerprint: "SHA256:ZvyCCIe5Tll1BaMgCGRKfDisLJ6MfcWNggDtcaIwvs8",
    },
  },
  "ecdsa as PEM": {
    text: `-----BEGIN EC PRIVATE KEY-----
MIGkAgEBBDDyXyDeHzwC2o33aFY2DtaqIOQ5p4eijPd2kXPUMLtfokkIx4kl7Fbv
rtfGSb9O/bugBwYFK4EEACKhZANiAAT0DsHHCJLh5PRXhtqh8fEtX4IzveVxvShG
0iizzhAWESYyHmRNnvNDJ2ljBVqPOn1b0t7T9+iQvxE173fcnx5gbDAo8WTYBijS
9N4x9Vl4bJreYtY485Ow6TwMkpJFqdE=
-----END EC PRIVATE KEY-----
`,
    passphrase: null,
    facts: {
      keyType: "ecdsa",
      keyBits: 384,
      publicKey:
        "ecdsa-sha2-nistp384 AAAAE2VjZHNhLXNoYTItbmlzdHAzODQAAAAIbmlzdHAzODQAAABhBPQOwccIkuHk9FeG2qHx8S1fgjO95XG9KEbSKLPOEBYRJjIeZE2e80MnaWMFWo86fVvS3tP36JC/ETXvd9yfHmBsMCjxZNgGKNL03jH1WXhsmt5i1jjzk7DpPAySkkWp0Q==",
      fingerprint: "SHA256:UYiRWFAAbKzS5dIVLNITBePb+vrFdjZSIanl4q8X5Ss",
    },
  },
  "ecdsa as OpenSSL writes it, behind its curve": {
    text: `-----BEGIN EC PARAMETERS-----
BggqhkjOPQMBBw==
-----END EC PARAMETERS-----
-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIETZANnHKFuW9z/yetXl0w1rqBE93Ur6CEZehnVo84QKoAoGCCqGSM49
AwEHoUQDQgAEleMvmNuLloKDUCsY/JDCwwckHjdHbNvcMyNmNpF+pGPq/J+64Qjn
wl8s9goCeEL40Xvz+1JokdZwZlT1HWF5Xg==
-----END EC PRIVATE KEY-----
`,
    passphrase: null,
    facts: {
      keyType: "ecdsa",
      keyBits: 256,
      publicKey:
        "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBJXjL5jbi5aCg1ArGPyQwsMHJB43R2zb3DMjZjaRfqRj6vyfuuEI58JfLPYKAnhC+NF78/tSaJHWcGZU9R1heV4=",
      fingerprint: "SHA256:8B8niuueuylvYdQRL4blSpgmth79KHMxYOBftsMS3IE",
    },
  },
  "rsa as PKCS#8, locked": {
    text: `-----BEGIN ENCRYPTED PRIVATE KEY-----
MIIFLTBXBgkqhkiG9w0BBQ0wSjApBgkqhkiG9w0BBQwwHAQIkWPSYjr7KhoCAggA
MAwGCCqGSIb3DQIJBQAwHQYJYIZIAWUDBAECBBC5ZR8wHMaUQv3wj9GoAarABIIE
0BLSNaP+2S9dfKa1mEY+MIhZkB4EfjL9fDEItCHpXHH6ch5GUmpGYMZZM1Zp2BNA
cR3qkSCMKHRA691tuefT3goZfBs1B/7FPTnrGKOybSeiJcBMyZuL1a5e8tTdUWjU
3l4iCSCEtgfFaQcYxfODzvcspusTcT0js79ktwoH70pTtspyktvXDAaqkuu8Z/dg
9n+WjxkevuXu1kqcTc/ynph6BX9pIVIMH7ZXHdnycgtx4zFb3YbtmCOv/wXLnywG
/uKZLG2AmnOin4xgudCS1ZwfCq91xPOs5TQ/2K91ATSd+s3QDqJFkA6eyaphs91V
i1Gqxl3/ZDx6gu7clISACDFY+U5LK8WS0FWDn4HN32Wezi2wZW8ZJs90j+hEGBNX
I2jbJQMhzT8WnRU9g4iPr7rsgD6ZrE9KQ/V+zlY43FXlnF7UbpRbLkohkdhMYuK5
sCyXHZiFM1yuNF0LrfgRldNW9mYL+jU66pRRwjk7EBc+lH078NcxJlR8pyZnZLFe
ho4EucRXayeU5HLpT9oWoYq8Mc6dRtNUSzrhybY2oh00HL224roINvwT+RKf+EBe
Dzdn3RwJwAIRq/TxJCOo7zzI/EaXw1N3xSdKK5//Vu4dn0CIYqvPci7aE4m4kY4j
lAcvkdbwPKeRjwsAa3IJ1wu60Z8ZQu5P9bppkjbFIU4yg3bFuHwkhdMHJhgFM92d
LYrQLewMlcSnw3wKB3Sgonv/yfHU4JhkdQsvLafK5/NdFCd8diqTFQHCo7DtWBCw
uyEVjHqCOAlHtr77VvbqfkGSLuPSNioLHZ/z7uQIu7zimRm5eKqrxrHS2wpl7L5b
DlOtZUqN/WdAJBGx7egs6ngLAvypIcgOFI+zw7k/Jyhg285gEJtSAi7VHdAwhpGC
qPLWnA4x/V5pqp1Mhxh98wTB3oOw5A9VyY9HCorS1HoCwma0LxO9XnyDGSnXpapE
ABbufsXTK5GaYmXNR9Nu3L5NrUMuGRqng61Q65m/b7btUfqEKIOfTKfVphl5USv4
0mFIzYwQOpZOkGTb1Xa7FnP3t8pHKCBVOlVG89SFvwr1wGHvg4bE1QmHqHwsstBq
JAlsaSusJF0Wz2CiDa6Bth7tjp7iscJD/aJWjNt4kElFGL/XS0T1jxTABGlN3JEH
g093dwacVozi1ohUS9ACYFAyV2QoozZ/pMXB5i+h1RhtFNlFQBIE4lM2YbtZ/u2g
ncR8/KNEdEVzk1vzuDRpbe1S40E5B6AXLmt36d/z48jq0EDoYfapUdFWtRqHoHUu
UVF2cA6b2H+z9caK0xg6Lcni1q2kgg/KUb/6CUO0b+Zm2OVAnJhuuGLoozPeBdBw
cucemeVPpY3Z3T7zqUmS2rfQ6LINTESDnFTBMkGX89ngDx6qSn8E+qps/vZY9LRc
QarBNt0vgCfZlyoREpovkdVHaUOPtbYhV9FSDqDgSie5xFQKdxsXh95elVxljEtE
vu2NUDFQnLk6UKeFrMeo/A+57Etqydok2SK8XGzfHd32QnXf5yL45jb4Rs7C+9j2
zsH4Neg5fm1ubO/nnlpckXcJRb9tWbC4IlEnxSo0rJn3mMuDPAwsSsqMyVUGj0bs
UsE1yYqzdAjgO3hvgUX0C2Y2svWDHjCClvlFfdmBYAHn
-----END ENCRYPTED PRIVATE KEY-----
`,
    passphrase: "open sesame",
    facts: {
      keyType: "rsa",
      keyBits: 2048,
      publicKey:
        "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC4hsO4mSMrBcLWfsTfH5kCbavAx7HjHqbTGSNk3cb29yI1D3VpWTs3Cn26Wye9hX6aJ6vAx8NNqhK/dkEGCt8uAN7WvaVX4zQLslU9uZdKdscFpxVySxhM7T4W5/4/6/GD1W807FLcP1G1qVY6UVbiAh2bBSJEqffktNuJpIksmy4HcbY+SV1AXO326B6PCl+iMpB5iaVHh5CJDaL/xaAKdSpLV1+cw8l8IYdPoEwnpDmhx5BL2yy6D0W8D6Ny6jdXmYdXHLI8ZGMlXTuNYZtOqCIeaDFdWS++pCArfc8Tv/3mK17RiKz8JhhVG2hf6Xv6hb83So7vglEGAAVkAIub",
      fingerprint: "SHA256:32OE/Sv/s8zexZUdqNCcx0FnfHvgtip98pdm+tsPSlg",
    },
  },
} as const satisfies Readonly<Record<string, KeptKey>>;

/** Keys that OpenSSL made, of types that aren't taken. */
export const keptOthers: Readonly<Record<string, string>> = {
  Ed448: `-----BEGIN PRIVATE KEY-----
MEcCAQAwBQYDK2VxBDsEOQ3LZev6pFwYYBkl2OPT7zm/qijhtXbZfx52lKWFr6rA
Bc3QIz0cJO6s6H3HkOfPxEYlpXGo2RUn1g==
-----END PRIVATE KEY-----
`,
  X25519: `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VuBCIEIEg3W6X6IPAoXTW41q3JO3DM/lZ5+MtKslu0bzXgAlhV
-----END PRIVATE KEY-----
`,
  "ECDSA on the curve secp256k1": `-----BEGIN EC PARAMETERS-----
BgUrgQQACg==
-----END EC PARAMETERS-----
-----BEGIN EC PRIVATE KEY-----
MHQCAQEEIHDHjHDSPJHeD/vcE2rngC9cCu4vCIJT5j25cL0wfJlPoAcGBSuBBAAK
oUQDQgAEuawctFOi662sFiDdCeRXof22pEcu9WZaS1xDgGlImvcHwWXfFRCcXRLE
hdTkmStcsHzRlPKHa2XXwWI9G6oBgw==
-----END EC PRIVATE KEY-----
`,
};
