module github.com/pilothouse-apiserver/pilothouse-apiserver/clients/go

go 1.19
