// Receives Slipway's webhooks. `SECRET=whsec_… PORT=3000 go run receiver.go` (Go >= 1.20, no dependencies).
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const toleranceSeconds = 300

var key, _ = base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("SECRET"), "whsec_"))

// In a real receiver: a unique column, written in the transaction that handles the event.
var (
	mutex   sync.Mutex
	handled = map[string]bool{}
)

func isGenuine(header http.Header, body []byte) bool {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || math.Abs(float64(time.Now().Unix()-seconds)) > toleranceSeconds {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, given := range strings.Split(header.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(given), []byte(expected)) {
			return true
		}
	}
	return false
}

func receive(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil || !isGenuine(request.Header, body) {
		response.WriteHeader(http.StatusUnauthorized)
		return
	}
	var event struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Sequence int64  `json:"sequence"`
	}
	if err := json.Unmarshal(body, &event); err != nil {
		response.WriteHeader(http.StatusBadRequest)
		return
	}
	mutex.Lock()
	defer mutex.Unlock()
	if !handled[event.ID] {
		handled[event.ID] = true
		fmt.Println(event.Sequence, event.Type, event.ID)
	}
	response.WriteHeader(http.StatusNoContent)
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("ready")
	log.Fatal(http.Serve(listener, http.HandlerFunc(receive)))
}
