/**
 * A self-signed certificate for the HTTPS servers that play git hosts in tests, valid from 2020 to 2125. It names
 * `localhost`, `gitlab.test`, `rebind.test` and loopback addresses, and nothing but these tests trusts it. It is a
 * fixed one because Node makes keys but not certificates; `openssl ca -selfsign` made it.
 */
export const TEST_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBrjCCAVSgAwIBAgIBATAKBggqhkjOPQQDAjAgMR4wHAYDVQQDDBVTbGlwd2F5
IHRlc3QgZ2l0IGhvc3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyNjAxMDEwMDAwMDBa
MCAxHjAcBgNVBAMMFVNsaXB3YXkgdGVzdCBnaXQgaG9zdDBZMBMGByqGSM49AgEG
CCqGSM49AwEHA0IABDl+Bhh2UOJOdWjFwJgL8A6bmZx4+P7MiEgzqaoSOgNDIrzP
99oNpO2ubPDlEQTrhhcp0jBwDeJOYgamGWkGVv+jfTB7MAwGA1UdEwQFMAMBAf8w
TAYDVR0RBEUwQ4IJbG9jYWxob3N0ggtnaXRsYWIudGVzdIILcmViaW5kLnRlc3SH
BH8AAAGHBH8AAAKHEAAAAAAAAAAAAAAAAAAAAAEwHQYDVR0OBBYEFF3MstANy3Si
x3SeXoy86Biol6sKMAoGCCqGSM49BAMCA0gAMEUCIFMNWtA/FeG8zqwMF5ytHs5M
EhqXrkxiyhoLI06fv4mXAiEAtrNpwQ3aV1f8scjaou7+sBDEOZsgv91nafKA1qsa
wmg=
-----END CERTIFICATE-----
`;

export const TEST_PRIVATE_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQguBuOOa+n1yRKilim
9nPHL7d4JPOjMrwm0gTn5S85Hh+hRANCAAQ5fgYYdlDiTnVoxcCYC/AOm5mcePj+
zIhIM6mqEjoDQyK8z/faDaTtrmzw5REE64YXKdIwcA3iTmIGphlpBlb/
-----END PRIVATE KEY-----
`;
